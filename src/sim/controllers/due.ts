/** Collects keys and reconciles each once, so a burst of changes causes one pass. */
export class Due {
  readonly #keys = new Set<string>();
  readonly #look: (key: string) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(look: (key: string) => void) {
    this.#look = look;
  }

  add(key: string): void {
    this.#keys.add(key);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const due = [...this.#keys];
      this.#keys.clear();
      for (const each of due) this.#look(each);
    }, 5).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
