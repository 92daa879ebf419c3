/** The version of the protocol between client and helper. A helper with another version is refused. */
export const protocol = 1;
