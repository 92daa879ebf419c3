import type {CommandClass} from '../cli/command.js';

/** Every command by its words. Each loads when it runs. */
export const commands: Readonly<Record<string, () => Promise<{default: CommandClass}>>> = {
  'annotate-tunnel': () => import('./annotate-tunnel.js'),
  cleanup: () => import('./cleanup.js'),
  collect: () => import('./collect.js'),
  'completion install': () => import('./completion/install.js'),
  'completion script': () => import('./completion/script.js'),
  'completion uninstall': () => import('./completion/uninstall.js'),
  dashboard: () => import('./dashboard/dashboard.js'),
  demo: () => import('./demo/demo.js'),
  diff: () => import('./diff.js'),
  doctor: () => import('./doctor.js'),
  events: () => import('./events.js'),
  explain: () => import('./explain.js'),
  'helper install': () => import('./helper/install.js'),
  'helper prune': () => import('./helper/prune.js'),
  'helper script': () => import('./helper/script.js'),
  'helper selftest': () => import('./helper/selftest.js'),
  'helper status': () => import('./helper/status.js'),
  'helper uninstall': () => import('./helper/uninstall.js'),
  inspect: () => import('./inspect.js'),
  logs: () => import('./logs.js'),
  nodes: () => import('./nodes.js'),
  preflight: () => import('./preflight.js'),
  redact: () => import('./redact.js'),
  version: () => import('./version.js'),
};
