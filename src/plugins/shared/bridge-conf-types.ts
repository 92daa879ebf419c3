/** The `type` in the CNI configurations that are written manually for a bridge. */
export const bridgeConfTypes = {
  'win-bridge': /^(win-bridge|sdnbridge)$/,
  wincni: /^wincni(\.exe)?$/,
} as const;
