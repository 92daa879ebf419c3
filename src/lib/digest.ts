/** The digest of a text in hexadecimal. Loads node:crypto on demand, because it is slow to load and rarely needed. */
export function digest(algorithm: 'sha1' | 'sha256', text: string): string {
  return process.getBuiltinModule('node:crypto').createHash(algorithm).update(text).digest('hex');
}
