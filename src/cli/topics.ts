/** The first words of two-word commands. */
export const topics: Readonly<Record<string, string>> = {
  completion: 'Manage shell completion for kubectl win',
  helper: 'Manage the node helper',
};
