import {randomBytes} from 'node:crypto';
import type {NodeDump} from '../../snapshot/document.js';
import {AddressStandIns} from './address-stand-ins.js';
import {NameStandIns} from './name-stand-ins.js';
import {isSecretSetting, replacedSetting, type Tally, withoutSecrets} from './secrets.js';

export type Redactable = 'ips' | 'names';

/** How many values of which kind were replaced. */
export type Replaced = Readonly<Record<string, number>>;

/**
 * Replaces secrets in text, and on request addresses and names. One redactor serves a whole bundle, so that the same
 * value gets the same stand-in in all of its files.
 */
export class Redactor {
  readonly #tally: Tally = new Map();
  readonly #addresses: AddressStandIns | undefined;
  readonly #names: NameStandIns | undefined;

  constructor(also: readonly Redactable[] = [], key: Buffer = randomBytes(32)) {
    this.#addresses = also.includes('ips') ? new AddressStandIns(key) : undefined;
    this.#names = also.includes('names') ? new NameStandIns() : undefined;
  }

  /** Learns the names to replace from the objects of a cluster. */
  learnObjects(objects: Iterable<unknown>): void {
    for (const object of objects) this.#names?.learnObject(object);
  }

  learnNode(name: string, dump: NodeDump): void {
    this.#names?.learnNode(name, dump);
  }

  readonly text = (text: string): string => {
    const safe = withoutSecrets(text, this.#tally);
    const unnamed = this.#names ? this.#names.in(safe) : safe;
    return this.#addresses ? this.#addresses.in(unnamed) : unnamed;
  };

  /** Redacts every string of a document, including its keys. */
  document<T>(value: T): T {
    return this.#walk(value) as T;
  }

  get replaced(): Replaced {
    return {
      ...Object.fromEntries([...this.#tally].sort()),
      ...(this.#addresses && {addresses: this.#addresses.size}),
      ...(this.#names && {names: this.#names.size}),
    };
  }

  #walk(value: unknown, name = ''): unknown {
    if (typeof value === 'string') return this.#member(name, value);
    if (Array.isArray(value)) return value.map(one => this.#walk(one, name));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [this.text(key), this.#walk(one, key)]));
  }

  /** The name alone can mark a value as a secret. */
  #member(name: string, value: string): string {
    return isSecretSetting(name, value) ? replacedSetting(this.#tally) : this.text(value);
  }
}
