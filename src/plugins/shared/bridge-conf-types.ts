/** The `type` in manually written CNI configurations for a bridge. */
export const bridgeConfTypes = {
  'win-bridge': /^(win-bridge|sdnbridge)$/,
  wincni: /^wincni(\.exe)?$/,
} as const;
