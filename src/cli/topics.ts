/** The first words of commands that have two. */
export const topics: Readonly<Record<string, string>> = {
  completion: 'Manage shell completion for kubectl win',
  helper: 'Manage the node helper',
};
