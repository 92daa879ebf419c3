import {BlockList, isIP} from 'node:net';
import {WinError} from '../lib/errors.js';
import {withoutPassword} from '../lib/untrusted.js';

/** The proxy for a server: `proxy-url` of the kubeconfig, otherwise the environment variables, as in Go programs. */
export function proxyFor(server: string, proxyUrl: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const {protocol, hostname, port} = new URL(server);
  const fromEnv = protocol === 'https:' ? env.HTTPS_PROXY || env.https_proxy : env.HTTP_PROXY || env.http_proxy;
  if (proxyUrl) return checked(proxyUrl, 'proxy-url in the kubeconfig', kubeconfigSchemes);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (!fromEnv || isLocal(host) || isExempt(host, port, env.NO_PROXY || env.no_proxy || '')) return undefined;
  return checked(
    fromEnv.includes('://') ? fromEnv : `http://${fromEnv}`,
    'the environment (HTTPS_PROXY)',
    environmentSchemes,
  );
}

/** The schemes that client-go supports, and those that Go supports in the environment. */
const kubeconfigSchemes = ['http:', 'https:', 'socks5:'];
const environmentSchemes = [...kubeconfigSchemes, 'socks5h:'];

export const isSocks = (proxy: string) => proxy.startsWith('socks5');

function checked(address: string, where: string, schemes: readonly string[]): string {
  const url = URL.parse(address);
  if (url && schemes.includes(url.protocol)) return address;
  throw new WinError(
    `The proxy ${withoutPassword(address)} from ${where} is not supported: only http, https and socks5 proxies are.`,
    {
      next: ['Write it as http://HOST:PORT or socks5://HOST:PORT, or reach the cluster without a proxy (NO_PROXY).'],
    },
  );
}

const isLocal = (host: string) => host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

/** NO_PROXY: host names with their subdomains, addresses and CIDRs, with an optional port. */
function isExempt(host: string, port: string, list: string): boolean {
  return list
    .split(/[\s,]+/)
    .filter(entry => entry !== '')
    .some(entry => entry === '*' || matches(entry.toLowerCase(), host.toLowerCase(), port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry.includes('/')) return inSubnet(entry, host);
  const [, name = entry, onlyPort] = isIP(entry) ? [] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []);
  if (onlyPort && onlyPort !== port) return false;
  if (name.startsWith('*.') || name.startsWith('.')) return host.endsWith(name.replace(/^\*/, ''));
  return host === name.replace(/^\[|\]$/g, '') || host.endsWith(`.${name}`);
}

function inSubnet(cidr: string, host: string): boolean {
  const [net = '', prefix] = cidr.split('/');
  const family = isIP(net);
  if (family === 0 || isIP(host) !== family) return false;
  const type = family === 6 ? 'ipv6' : 'ipv4';
  const subnet = new BlockList();
  try {
    subnet.addSubnet(net, Number(prefix), type);
  } catch {
    return false;
  }
  return subnet.check(host, type);
}
