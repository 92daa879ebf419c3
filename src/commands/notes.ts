const read = 'kubectl-win-read';
const helper = `${read}, kubectl-win-helper`;
const repair = `${helper}, kubectl-win-repair`;
const fleet = 'kubectl-win-helper';

/** The roles of manifests/rbac.yaml that a command takes. */
const rights: Readonly<Record<string, string>> = {
  'annotate-tunnel': `${repair}; with --show only ${helper}`,
  cleanup: repair,
  collect: helper,
  dashboard: `${helper}; to repair from it also kubectl-win-repair`,
  doctor: `${helper}; with --fix also kubectl-win-repair, with --no-helper only kubectl-win-read`,
  'helper install': `${fleet}, and create on namespaces where that of the helpers is not there yet; with --cleanup-on-boot also kubectl-win-read`,
  'helper prune': fleet,
  'helper status': fleet,
  'helper uninstall': fleet,
  inspect: helper,
  nodes: read,
  preflight: helper,
  version: 'none; to see the installed helper: list daemonsets in its namespace',
};

const asksCluster = `  0  done
  2  usage, or bad input
  3  access denied
  4  the API server could not be asked`;
const asksNobody = `  0  done
  2  usage, or bad input`;

/** How commands end that do not say it themselves. */
const endings: Readonly<Record<string, string>> = {
  dashboard: asksCluster,
  demo: `  that of the command which it runs
  2  usage, or there is no such scenario`,
  explain: asksNobody,
  'helper prune': asksCluster,
  'helper script': asksNobody,
  'helper status': asksCluster,
  version: asksCluster,
};

export const rightsOf = (command: string): string => rights[command] ?? 'none';

export const endingsOf = (command: string): string => endings[command] ?? asksNobody;
