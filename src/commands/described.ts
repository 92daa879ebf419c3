// The command data for the build and the documentation (scripts/commands.mjs).
import {type Facts, factsOf} from '../cli/command-facts.js';
import {commands} from './map.js';

export {helpOf} from '../cli/help.js';

const described = Object.entries(commands).map(
  async ([name, load]) => [name, await factsOf(name, (await load()).default)] as const,
);

export const commandFacts: Facts = Object.fromEntries(await Promise.all(described));
