// Names come from nodes and from the API: in a command that a person may paste they must stay one word.

/** A string of PowerShell. The typographic quotes are quotes there too (about_Quoting_Rules). */
export function powerShellText(text: string): string {
  return `'${oneLine(text).replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`;
}

/** A word of a shell, in quotes only where it needs them. */
export function shellText(text: string): string {
  const word = oneLine(text);
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed here
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
