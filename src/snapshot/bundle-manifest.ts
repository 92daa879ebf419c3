import * as z from 'zod/mini';

/** `manifest.json` of a bundle: what it contains, and what could not be collected. */
export const bundleManifest = z.object({
  apiVersion: z.literal('kubectl-win/v1'),
  kind: z.literal('Bundle'),
  /** The version of kubectl win that wrote it. */
  version: z.string(),
  collectedAt: z.string(),
  files: z.array(z.object({path: z.string(), bytes: z.number(), sha256: z.string()})),
  /** What could not be collected, and why. */
  missing: z.array(z.object({what: z.string(), reason: z.string()})),
  /** How many values of which kind were replaced. */
  replaced: z.record(z.string(), z.number()),
});

export type BundleManifest = z.infer<typeof bundleManifest>;
