/** Escape sequences, control characters, and marks that turn the direction of writing: a node must not steer a terminal. */
const unsafe =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])|[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text from a node, a server or a proxy as it may stand in one line of an error message. */
export function printable(text: string, length = 300): string {
  const line = text.replace(unsafe, ' ').replace(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
