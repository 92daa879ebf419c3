// What the build and the documents take of the commands (scripts/commands.mjs).
import {commands} from '../commands/map.js';
import {type Facts, factsOf} from './facts.js';

export {helpOf} from './help.js';

const described = Object.entries(commands).map(
  async ([name, load]) => [name, await factsOf(name, (await load()).default)] as const,
);

export const facts: Facts = Object.fromEntries(await Promise.all(described));
