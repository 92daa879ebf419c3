import coerce from 'semver/functions/coerce.js';
import gte from 'semver/functions/gte.js';
import lt from 'semver/functions/lt.js';
import {powerShellText} from '../../lib/quote.js';
import type {Installation} from '../../model/preflight.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown} from '../../model/verdict.js';
import {prerequisite, sameAs} from './prerequisite.js';

const dockerGuide = 'https://learn.microsoft.com/virtualization/windowscontainers/quick-start/set-up-environment';

/** The script of sig-windows-tools, which sets the folders that plugins use. */
const installContainerd = [
  'curl.exe -LO https://raw.githubusercontent.com/kubernetes-sigs/sig-windows-tools/master/hostprocess/Install-Containerd.ps1',
  '.\\Install-Containerd.ps1 -ContainerDVersion 1.7.27 -CNIConfigPath "c:/etc/cni/net.d" -CNIBinPath "c:/opt/cni/bin"',
] as const;

const installDocker = [
  'Install-Module -Name DockerMsftProvider -Repository PSGallery -Force',
  'Install-Package -Name docker -ProviderName DockerMsftProvider -Force',
  'Restart-Computer -Force',
] as const;

/** For plugins whose agents run as HostProcess pods. */
export const hostProcessRuntime = (target: Installation) =>
  sameAs(target, 'container-runtime', 'platform/container-runtime', {
    title: 'containerd 1.6.18 or later',
    remedy: () => manual(...installContainerd),
  });

/** For plugins that are programs and services of the node: any runtime will do. */
export const anyRuntime = (target: Installation) =>
  prerequisite(target, 'container-runtime', {
    title: 'A container runtime: Docker 17.06 or containerd',
    needs: [],
    run({node, object}) {
      const told = object?.status?.nodeInfo?.containerRuntimeVersion;
      const [, name = '', version] = /^([\w-]+):\/\/(.*)$/.exec(told ?? '') ?? [];
      const services = node.services?.filter(its => /^(docker|containerd)$/i.test(its.name)) ?? [];
      const own = services.find(its => its.name.toLowerCase() === name) ?? services[0];
      if (own && services.every(({state}) => !/^running$/i.test(state)))
        return fail(`Service ${own.name} is ${own.state.toLowerCase()}: no container can start.`)
          .because({section: 'services', object: own.name, field: 'State', seen: own.state, expected: 'Running'})
          .fixedBy(manual(`Start-Service ${powerShellText(own.name)}`));
      const release = name === 'docker' ? coerce(version) : null;
      if (release && lt(release, '17.6.0'))
        return fail(`Docker ${version} is older than 17.06, which Windows nodes need.`)
          .because({
            section: 'cluster',
            object: `Node ${node.name}`,
            field: 'nodeInfo.containerRuntimeVersion',
            seen: told,
            expected: 'docker://17.06 or later, or containerd',
          })
          .fixedBy(
            manual(
              'Install-Package -Name Docker -ProviderName DockerMsftProvider -Update -Force',
              'Start-Service Docker',
            ),
          );
      if (told !== undefined || own) return undefined;
      if (!node.services) return unknown('The container runtime of the node is not known.');
      return fail('The node has neither Docker nor containerd.')
        .because({section: 'services', object: 'docker, containerd', seen: null, expected: 'one of them, running'})
        .fixedBy(manual(...installContainerd));
    },
    explain: {
      meaning:
        'kubelet starts containers through a runtime. There is none on the node, it does not run, or it is too old.',
      why: 'The node was prepared by hand and this step left out, or the service does not start with Windows.',
      see: ['Get-Service docker, containerd', 'kubectl get nodes -o wide'],
      fix: [
        'Install containerd, which every Kubernetes supports:',
        ...installContainerd,
        'Or Docker, for Kubernetes before 1.24:',
        ...installDocker,
      ],
      sources: [dockerGuide],
    },
  });

/** Kube-OVN's guide knows no other; containerd has been seen to work. */
export const dockerEngine = (target: Installation) =>
  prerequisite(target, 'container-runtime', {
    title: 'Docker Engine, the runtime that the guide names',
    advised: true,
    needs: ['nodeObject'],
    run({node, object}) {
      const told = object.status?.nodeInfo?.containerRuntimeVersion;
      if (told === undefined) return unknown('The container runtime of the node is not known.');
      if (told.startsWith('docker:')) return undefined;
      return fail(`The node runs ${told}, and the guide of ${target.title} for Windows only names Docker Engine.`)
        .because({
          section: 'cluster',
          object: `Node ${node.name}`,
          field: 'nodeInfo.containerRuntimeVersion',
          seen: told,
          expected: 'docker://',
        })
        .fixedBy(
          manual(
            ...installDocker,
            `.\\PrepareNode.ps1 -KubernetesVersion ${object.status?.nodeInfo?.kubeletVersion ?? 'VERSION'} -ContainerRuntime Docker`,
          ),
        );
    },
    explain: {
      meaning:
        'The guide of Kube-OVN for Windows was written for Docker Engine and names no other runtime. This node has another one: it may work, but nobody promises it.',
      why: 'Kubernetes itself dropped Docker in 1.24; nodes have had containerd since.',
      see: ['kubectl get node NODE -o jsonpath="{.status.nodeInfo.containerRuntimeVersion}"'],
      fix: [
        'With Kubernetes before 1.24: install Docker Engine on the node.',
        'Else try it with containerd on one node first.',
      ],
      sources: [dockerGuide],
    },
  });

/** What Antrea recommends for a release of Kubernetes: in the line of 1.7, and in that of 1.6. */
const recommended = [
  {kubernetes: '1.30.0', line17: '1.7.13', line16: '1.6.28'},
  {kubernetes: '1.29.0', line17: '1.7.11', line16: '1.6.27'},
  {kubernetes: '1.26.0', line17: '1.7.0', line16: '1.6.18'},
] as const;

export const containerdForKubernetes = (target: Installation) =>
  prerequisite(target, 'containerd-version', {
    title: 'The containerd that is recommended for this Kubernetes',
    advised: true,
    needs: ['nodeObject'],
    run({node, object}) {
      const {containerRuntimeVersion: told, kubeletVersion} = object.status?.nodeInfo ?? {};
      const containerd = coerce(/^containerd:\/\/(.*)$/.exec(told ?? '')?.[1]);
      const kubelet = coerce(kubeletVersion);
      if (!containerd || !kubelet) return unknown('The versions of containerd and kubelet are not known.');
      const row = recommended.find(({kubernetes}) => gte(kubelet, kubernetes));
      if (!row) return undefined;
      const least = lt(containerd, '1.7.0') ? row.line16 : row.line17;
      if (gte(containerd, least)) return undefined;
      return fail(
        `containerd ${containerd.version} is older than ${least}, which is recommended for kubelet ${kubeletVersion}.`,
      )
        .because({
          section: 'cluster',
          object: `Node ${node.name}`,
          field: 'nodeInfo.containerRuntimeVersion',
          seen: told,
          expected: `${row.line17}, or ${row.line16} in the line of 1.6`,
        })
        .fixedBy(manual(...installContainerd));
    },
    explain: {
      meaning:
        'Antrea names a containerd for each release of Kubernetes. This one is older, and has faults with HostProcess pods that were mended since.',
      why: 'kubelet was upgraded and containerd was not.',
      see: ['kubectl get nodes -o wide', 'containerd.exe --version'],
      fix: ['Drain the node.', ...installContainerd, 'Uncordon the node.'],
      sources: ['https://containerd.io/releases/#kubernetes-support'],
    },
  });
