import {createHash} from 'node:crypto';
import type {Writable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {createGzip} from 'node:zlib';
import {type Pack, pack} from 'tar-stream';
import type {BundleManifest} from '../../snapshot/bundle-manifest.js';

/** Writes a bundle part by part, so that nothing has to stay in memory. */
export class BundleWriter {
  readonly #pack: Pack = pack();
  readonly #files: BundleManifest['files'] = [];
  readonly #missing: BundleManifest['missing'] = [];
  readonly #written: Promise<void>;
  readonly #at: Date;
  readonly #failure = new AbortController();
  /** Parts arrive from many nodes in parallel, but a tar file is written sequentially. */
  #turn: Promise<void> = Promise.resolve();

  constructor(target: Writable, at: Date) {
    this.#at = at;
    this.#written = pipeline(this.#pack, createGzip(), target);
    // If the target fails, the next write or the end must fail too.
    this.#written.catch(error => {
      this.#failure.abort(error);
      this.#pack.destroy(error);
    });
  }

  /** Aborted, with the reason, when nothing more can be written. */
  get failed(): AbortSignal {
    return this.#failure.signal;
  }

  add(path: string, text: string): Promise<void> {
    const done = this.#turn.then(() => this.#entry(path, text));
    this.#turn = done.catch(() => {});
    return done;
  }

  /** Records in the manifest what could not be collected. */
  miss(what: string, reason: string): void {
    this.#missing.push({what, reason});
  }

  async end(about: Pick<BundleManifest, 'version' | 'replaced'>): Promise<BundleManifest> {
    await this.#turn;
    const manifest: BundleManifest = {
      apiVersion: 'kubectl-win/v1',
      kind: 'Bundle',
      ...about,
      collectedAt: this.#at.toISOString(),
      files: [...this.#files],
      missing: this.#missing,
    };
    await this.#entry('manifest.json', `${JSON.stringify(manifest, null, 2)}\n`);
    this.#pack.finalize();
    await this.#written;
    return manifest;
  }

  async #entry(path: string, text: string): Promise<void> {
    this.failed.throwIfAborted();
    const bytes = Buffer.from(text);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const {promise, resolve, reject} = Promise.withResolvers<void>();
    const header = {name: path, size: bytes.length, mode: 0o600, mtime: this.#at};
    const entry = this.#pack.entry(header, bytes, error => (error ? reject(error) : resolve()));
    entry.on('error', reject);
    // After a failed target the callback is never called.
    await Promise.race([promise, this.#written]);
    this.#files.push({path, bytes: bytes.length, sha256});
  }
}
