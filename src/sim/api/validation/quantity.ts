const factors: Record<string, number> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

export function quantity(text: unknown): number {
  const [, number = '', unit = ''] = /^([\d.]+)([a-zA-Z]*)$/.exec(String(text)) ?? [];
  return Number(number) * (factors[unit] ?? Number.NaN);
}
