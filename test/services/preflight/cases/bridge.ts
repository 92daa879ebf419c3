import type {Raw, Scenario} from '../../../checks/support.js';
import {configMap, workload} from '../build.js';
import {bridgeConf, confPath} from '../ready.js';
import {type Case, ofSection} from '../support.js';

const changed = (name: 'win-bridge' | 'wincni', change: (conf: Raw) => void) => {
  const conf = structuredClone(bridgeConf[name]);
  change(conf);
  return ofSection('files', files => {
    files.find((file: Raw) => file.Path === confPath).Content = JSON.stringify(conf);
  });
};

const without = (path: RegExp) =>
  ofSection('files', files => {
    files.splice(
      files.findIndex((file: Raw) => path.test(file.Path)),
      1,
    );
  });

const flannelOverlay = (s: Scenario) =>
  s.addObject(workload('DaemonSet', 'kube-flannel', 'kube-flannel-ds', 'ghcr.io/flannel-io/flannel:v0.26.1')).addObject(
    configMap('kube-flannel', 'kube-flannel-cfg', {
      'net-conf.json': '{"Network":"10.244.0.0/16","Backend":{"Type":"vxlan"}}',
    }),
  );

export const bridgeCases = (name: 'win-bridge' | 'wincni'): Readonly<Record<string, Case>> => ({
  'routed-pods': {unmet: flannelOverlay, fix: 'kubectl win preflight'},
  'container-runtime': {
    unmet: ofSection('services', services => {
      services.find((its: Raw) => its.Name === 'containerd').State = 'Stopped';
    }),
    fix: "Start-Service 'containerd'",
  },
  conf: {
    unmet: without(/10-l2bridge/),
    fix: /Set-Content -LiteralPath '.*10-l2bridge\.conf'.*"10\.244\.1\.0\/24".*"10\.96\.0\.0\/12"/,
  },
  'conf-subnet': {
    unmet: changed(name, its => {
      its.ipam.subnet = '10.244.9.0/24';
    }),
    fix: /Set-Content.*"subnet":"10\.244\.1\.0\/24","routes":\[\{"GW":"10\.244\.1\.2"\}\]/,
  },
  'conf-dns': {
    unmet: changed(name, its => {
      its.dns.Nameservers = ['11.0.0.10'];
    }),
    fix: '"Nameservers":["10.96.0.10"]',
  },
  'outbound-nat': {
    unmet: changed(name, its => {
      (its.policies ?? its.AdditionalArgs)[0].Value.ExceptionList = ['10.96.0.0/12'];
    }),
    fix: '"ExceptionList":["10.96.0.0/12","10.244.0.0/16","10.0.0.0/24"]',
  },
  program: {unmet: without(new RegExp(`${name}\\.exe$`)), fix: 'curl.exe -L'},
  network: {
    unmet: ofSection('hnsNetworks', networks => {
      networks[0].Type = 'NAT';
    }),
    fix: "New-HnsNetwork -Type L2Bridge -AddressPrefix '10.244.1.0/24' -Gateway '10.244.1.1' -Name 'l2bridge'",
  },
  'host-endpoint': {
    unmet: ofSection('netIPAddresses', addresses => addresses.pop()),
    fix: '-Name cbr0 -IPAddress 10.244.1.2 -Gateway 0.0.0.0',
  },
  forwarding: {
    unmet: ofSection('netIPInterfaces', interfaces => {
      interfaces.at(-1).Forwarding = 'Disabled';
    }),
    fix: "Set-NetIPInterface -InterfaceAlias 'vEthernet (cbr0)' -AddressFamily IPv4 -Forwarding Enabled",
  },
  'peer-routes': {
    unmet: ofSection('netRoutes', routes => routes.pop()),
    fix: "New-NetRoute -DestinationPrefix '10.244.0.0/24' -NextHop '10.0.0.10' -InterfaceAlias 'Ethernet0'",
  },
  ...(name === 'wincni' && {
    'conf-master': {
      unmet: changed(name, its => {
        its.master = 'Ethernet';
      }),
      fix: '"master":"Ethernet0"',
    },
  }),
});
