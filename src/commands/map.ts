import type {Command} from '@oclif/core';
import Demo from './demo.js';
import Doctor from './doctor.js';
import Explain from './explain.js';
import Nodes from './nodes.js';
import Version from './version.js';

/** Every command by its words. They are classes with flags and nothing more: what a command does loads when it runs. */
export const commands: Record<string, Command.Class> = {
  demo: Demo,
  doctor: Doctor,
  explain: Explain,
  nodes: Nodes,
  version: Version,
};
