/** The digest of a text, in hexadecimal. Few commands need one, and Node takes long to load what makes it. */
export function digest(algorithm: 'sha1' | 'sha256', text: string): string {
  return process.getBuiltinModule('node:crypto').createHash(algorithm).update(text).digest('hex');
}
