/** The version of the language between client and helper. A helper that speaks another one is refused. */
export const protocol = 1;
