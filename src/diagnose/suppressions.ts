import {load} from 'js-yaml';
import * as z from 'zod/mini';
import {WinError} from '../lib/errors.js';
import {labelSelector} from '../lib/label-selector.js';
import {inputName, readInput} from '../lib/read-input.js';
import '../lib/zod-messages.js';

const selector = z.pipe(
  z.string(),
  z.transform((text, context) => {
    try {
      return labelSelector(text);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      context.issues.push({code: 'custom', message, input: text});
      return z.NEVER;
    }
  }),
);

/** The file that lists accepted findings. */
const configuration = z.strictObject({
  apiVersion: z.literal('kubectl-win/v1'),
  kind: z.literal('Config'),
  suppress: z._default(
    z.array(
      z.strictObject({
        /** A check's id, or an area such as `net`. */
        check: z.string(),
        /** Label selector of nodes; absent: all nodes, and the cluster itself. */
        nodes: z.optional(selector),
        reason: z.string().check(z.minLength(1)),
      }),
    ),
    [],
  ),
});

export type Suppression = z.output<typeof configuration>['suppress'][number];

export async function suppressionsIn(path: string): Promise<readonly Suppression[]> {
  const file = inputName(path);
  let content: unknown;
  try {
    content = load((await readInput(path)).toString());
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new WinError(`cannot read the configuration ${file}: ${reason}.`, {cause: error});
  }
  const parsed = configuration.safeParse(content);
  if (parsed.success) return parsed.data.suppress;
  throw new WinError(
    `the configuration ${file} is not valid: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}.`,
    {
      next: ['It requires apiVersion kubectl-win/v1, kind Config, and suppress: [{check, nodes, reason}].'],
    },
  );
}
