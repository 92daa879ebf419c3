/** When a bearer token expires, if it is a JWT with `exp`. In milliseconds since the epoch. */
export function tokenExpiry(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const {exp} = claims as {exp?: unknown};
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
