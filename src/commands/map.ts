import type {Command} from '@oclif/core';
import AnnotateTunnel from './annotate-tunnel.js';
import Cleanup from './cleanup.js';
import Collect from './collect.js';
import CompletionInstall from './completion/install.js';
import CompletionUninstall from './completion/uninstall.js';
import Dashboard from './dashboard.js';
import Demo from './demo.js';
import Doctor from './doctor.js';
import Explain from './explain.js';
import HelperInstall from './helper/install.js';
import HelperPrune from './helper/prune.js';
import HelperScript from './helper/script.js';
import HelperStatus from './helper/status.js';
import HelperUninstall from './helper/uninstall.js';
import Inspect from './inspect.js';
import Nodes from './nodes.js';
import Preflight from './preflight.js';
import Version from './version.js';

/** Every command by its words. They are classes with flags and nothing more: what a command does loads when it runs. */
export const commands: Record<string, Command.Class> = {
  'annotate-tunnel': AnnotateTunnel,
  cleanup: Cleanup,
  collect: Collect,
  'completion:install': CompletionInstall,
  'completion:uninstall': CompletionUninstall,
  dashboard: Dashboard,
  demo: Demo,
  doctor: Doctor,
  explain: Explain,
  'helper:install': HelperInstall,
  'helper:prune': HelperPrune,
  'helper:script': HelperScript,
  'helper:status': HelperStatus,
  'helper:uninstall': HelperUninstall,
  inspect: Inspect,
  nodes: Nodes,
  preflight: Preflight,
  version: Version,
};
