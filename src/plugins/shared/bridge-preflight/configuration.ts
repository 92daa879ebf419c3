import {listOf, prerequisite, sameAs} from '../../../checks/prerequisites/prerequisite.js';
import {listProperty, property, textProperty} from '../../../lib/json-properties.js';
import {powerShellText} from '../../../lib/quote.js';
import type {Installation} from '../../../model/plugin-preflight.js';
import {manual} from '../../../model/remedies.js';
import {fail, skipped, unknown, type Verdict} from '../../../model/verdict.js';
import {nthAddress, sameCidr} from '../../../snapshot/addresses.js';
import {podCidr} from '../../../snapshot/cluster.js';
import {activeConf, confType} from '../../../snapshot/cni-conf.js';
import {same} from '../../../snapshot/hns.js';
import {folderOf, nameOf, runtimeFolders} from '../../../snapshot/paths.js';
import {
  asObject,
  confFolder,
  confGateways,
  confSubnets,
  dnsServiceAddress,
  ownConf,
  rewrite,
  withKey,
  writeConf,
} from './bridge-conf.js';
import {wantedConf, withPolicies} from './wanted-conf.js';

type Name = 'win-bridge' | 'wincni';
const noConf = 'The CNI configuration does not exist.';

export const bridgeConfiguration = (target: Installation, name: Name) =>
  prerequisite(target, 'conf', {
    title: `CNI configuration of type ${name}`,
    needs: ['files'],
    run(subject) {
      const {node} = subject;
      const own = ownConf(node, name);
      if (own?.conf.name !== undefined) return undefined;
      const path = own?.conf.path ?? `${confFolder(node, name)}\\10-l2bridge.conf`;
      return fail(
        own
          ? `${path} has no name; it must be the name of the HNS network.`
          : `The node has no CNI configuration of type ${name}.`,
      )
        .because({
          section: 'files',
          object: path,
          field: 'type',
          seen: own ? null : (confType(activeConf(node)) ?? null),
          expected: name,
        })
        .fixedBy(manual(writeConf(path, wantedConf(subject, name))));
    },
    explain: {
      meaning: `The container runtime starts ${name} for each pod if a file in its CNI folder configures it. No such file exists.`,
      why: 'No agent writes it: it is created manually, or by a script such as start-kubelet.ps1.',
      see: ['Get-ChildItem C:\\etc\\cni\\net.d, C:\\k\\cni\\config -ErrorAction Ignore'],
      fix: [
        'Write the file with the network name l2bridge, the pod subnet of the node with .2 as gateway, DNS, OutBoundNAT exceptions, and ROUTE policies.',
      ],
      sources: ['https://www.cni.dev/plugins/current/main/win-bridge/'],
    },
  });

export const confSubnet = (target: Installation, name: Name) =>
  prerequisite(target, 'conf-subnet', {
    title: 'CNI configuration has the pod subnet of the node, with .2 as gateway',
    needs: ['files', 'nodeObject'],
    run(subject) {
      const {node, object} = subject;
      const own = ownConf(node, name);
      const cidr = podCidr(object);
      if (!own) return skipped(noConf);
      if (cidr === undefined) return unknown('The node has no pod subnet, so it cannot be compared.');
      const {conf, json} = own;
      const [subnets, gateways] = [confSubnets(json), confGateways(json)];
      const gateway = nthAddress(cidr, 2);
      const wrong: Verdict[] = [];
      const at = (field: string, seen: unknown, expected: unknown) => ({
        section: 'files',
        object: conf.path,
        field,
        seen,
        expected,
      });
      if (subnets.length > 0 && !subnets.some(subnet => sameCidr(subnet, cidr)))
        wrong.push(
          fail(`${conf.path} is for ${subnets.join(', ')}, but the node has ${cidr}.`).because(
            at('ipam.subnet', subnets, cidr),
          ),
        );
      if (gateways.length > 0 && gateway !== undefined && !gateways.includes(gateway))
        wrong.push(
          fail(`${conf.path} has the gateway ${gateways.join(', ')}; the host endpoint will have ${gateway}.`).because(
            at('ipam.routes GW', gateways, gateway),
          ),
        );
      const ipam = asObject(property(json, 'ipam'));
      const steps = manual(
        rewrite(own, its =>
          withKey(its, 'ipam', {...withKey(ipam, 'subnet', cidr), ranges: undefined, routes: [{GW: gateway}]}),
        ),
      );
      return wrong.map(verdict => verdict.fixedBy(steps));
    },
    explain: {
      meaning:
        'Pods get addresses from the subnet in the configuration, with address .2 (the endpoint of the node) as gateway. It must be the pod subnet that the cluster assigned to the node.',
      why: 'The file was copied from another node, or the subnet of the node changed.',
      see: ["kubectl get node NODE -o jsonpath='{.spec.podCIDR}'", 'Get-Content C:\\etc\\cni\\net.d\\*.conf'],
      fix: ['Set the pod subnet of the node, and its address .2 as gateway, in the file.'],
    },
  });

export const confDns = (target: Installation, name: Name) =>
  prerequisite(target, 'conf-dns', {
    title: 'CNI configuration has the cluster DNS',
    advised: true,
    needs: ['files', 'cluster'],
    run({node, cluster}) {
      const own = ownConf(node, name);
      const dns = dnsServiceAddress(cluster);
      if (!own) return skipped(noConf);
      if (dns === undefined) return unknown('The address of the cluster DNS is unknown.');
      const servers = listProperty(property(own.json, 'dns'), 'Nameservers').map(String);
      if (servers.includes(dns)) return undefined;
      return fail(
        `${own.conf.path} has ${servers.length === 0 ? 'no DNS server' : `DNS server ${servers.join(', ')}`}, but the cluster DNS is ${dns}.`,
      )
        .because({section: 'files', object: own.conf.path, field: 'dns.Nameservers', seen: servers, expected: dns})
        .fixedBy(
          manual(
            rewrite(own, its => withKey(its, 'dns', withKey(asObject(property(its, 'dns')), 'Nameservers', [dns]))),
          ),
        );
    },
    explain: {
      meaning:
        'If kubelet does not pass a DNS server, pods use the one in the CNI configuration. It is not the cluster DNS.',
      why: 'Examples contain 11.0.0.10, which is rarely correct.',
      see: ['kubectl -n kube-system get service kube-dns', 'Get-Content C:\\etc\\cni\\net.d\\*.conf'],
      fix: ['Set dns.Nameservers to the ClusterIP of kube-dns.'],
    },
  });

export const confMaster = (target: Installation) =>
  prerequisite(target, 'conf-master', {
    title: 'CNI configuration has an existing adapter as master',
    needs: ['files', 'netAdapters'],
    run({node}) {
      const own = ownConf(node, 'wincni');
      if (!own) return skipped(noConf);
      const master = textProperty(own.json, 'master');
      if (master !== undefined && node.netAdapters.some(({name}) => same(name, master))) return undefined;
      const nics = node.netAdapters.filter(({hardware}) => hardware).map(({name}) => name);
      return fail(
        `${own.conf.path} has ${master === undefined ? 'no master' : `master ${master}, but no adapter of the node has that name`}.`,
      )
        .because({section: 'files', object: own.conf.path, field: 'master', seen: master ?? null, expected: nics})
        .fixedBy(manual(rewrite(own, its => withKey(its, 'master', nics[0] ?? 'ADAPTER'))));
    },
    explain: {
      meaning:
        'wincni uses the adapter that is set as master in the configuration. The node has no adapter with that name.',
      why: 'Examples contain Ethernet; many machines have other adapter names.',
      see: ['Get-NetAdapter | Select-Object Name, Status'],
      fix: ['Set master to the name of the NIC.'],
    },
  });

export const outboundNat = (target: Installation, name: Name) => {
  const original = sameAs(target, 'outbound-nat', 'cni/outbound-nat-exceptions', {
    title: 'CNI configuration has OutBoundNAT exceptions and ROUTE policies',
  });
  return {
    ...original,
    run(subject) {
      const own = ownConf(subject.node, name);
      if (!own) return skipped(noConf);
      const repaired = withPolicies(own.json, subject, name);
      return listOf(original.run(subject)).map(verdict =>
        verdict.outcome === 'fail' && repaired ? verdict.fixedBy(manual(rewrite(own, () => repaired))) : verdict,
      );
    },
  } satisfies typeof original;
};

const install: Readonly<Record<Name, (folder: string) => string>> = {
  'win-bridge': folder =>
    `curl.exe -LO https://github.com/containernetworking/plugins/releases/download/v1.5.1/cni-plugins-windows-amd64-v1.5.1.tgz; tar.exe -xzf cni-plugins-windows-amd64-v1.5.1.tgz -C ${powerShellText(folder)}`,
  wincni: folder =>
    `curl.exe -Lo ${powerShellText(`${folder}\\wincni.exe`)} https://github.com/Microsoft/SDN/raw/master/Kubernetes/windows/cni/wincni.exe`,
};

export const bridgeProgram = (target: Installation, name: Name) =>
  prerequisite(target, 'program', {
    title: `${name}.exe is in the CNI folder of the runtime`,
    needs: ['files'],
    run({node}) {
      const own = ownConf(node, name);
      const {bin} = runtimeFolders(node);
      const folder = bin[0] ?? (name === 'wincni' ? 'C:\\k\\cni' : 'C:\\opt\\cni\\bin');
      const type = own?.conf.plugins[0]?.type ?? name;
      const ipam = own?.conf.plugins[0]?.ipam;
      const wanted = [type, ...(ipam === undefined ? [] : [ipam])].map(each =>
        `${each.replace(/\.exe$/i, '')}.exe`.toLowerCase(),
      );
      const missing = wanted.filter(
        file =>
          !node.files.some(
            ({path, exists}) => exists && nameOf(path) === file && (bin.length === 0 || bin.includes(folderOf(path))),
          ),
      );
      if (missing.length === 0) return undefined;
      return fail(
        `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not in ${folder}: no pod can be attached.`,
      )
        .because({section: 'files', object: folder, seen: null, expected: missing})
        .fixedBy(manual(install[name](folder)));
    },
    explain: {
      meaning:
        'The container runtime runs the programs named in the CNI configuration from its CNI folder. A program is missing.',
      why: 'It was not copied, or bin_dir in config.toml is another folder.',
      see: [
        'Get-ChildItem C:\\opt\\cni\\bin, C:\\k\\cni -ErrorAction Ignore',
        "Select-String -Path 'C:\\Program Files\\containerd\\config.toml' -Pattern bin_dir",
      ],
      fix: [install[name]('C:\\opt\\cni\\bin')],
    },
  });
