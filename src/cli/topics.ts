/** The first words of commands that have two. */
export const topics: Readonly<Record<string, string>> = {
  completion: 'Complete kubectl win with the Tab key',
  helper: 'The helper on the nodes: print, keep, show, test, remove',
};
