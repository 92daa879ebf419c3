// Names from nodes and the API are untrusted: in a command that a user may paste they must stay one word.

/** A PowerShell string. PowerShell treats typographic quotes as quotes too (about_Quoting_Rules). */
export function powerShellText(text: string): string {
  return `'${oneLine(text).replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`;
}

/** A shell word, quoted only if necessary. */
export function shellText(text: string): string {
  const word = oneLine(text);
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed here
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
}
