import {createHash} from 'node:crypto';

/** A plan as text with its hash, which the node checks before it stores or runs it. */
export function sealed(plan: object): {plan: string; hash: string} {
  const text = JSON.stringify(plan);
  return {plan: text, hash: createHash('sha256').update(text, 'utf8').digest('hex')};
}
