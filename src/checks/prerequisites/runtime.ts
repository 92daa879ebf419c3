import coerce from 'semver/functions/coerce.js';
import lt from 'semver/functions/lt.js';
import {powerShellText} from '../../lib/quote.js';
import type {Installation} from '../../model/plugin-preflight.js';
import {manual} from '../../model/remedies.js';
import {fail, unknown} from '../../model/verdict.js';
import {prerequisite, sameAs} from './prerequisite.js';

export const dockerGuide =
  'https://learn.microsoft.com/virtualization/windowscontainers/quick-start/set-up-environment';

/** The script from sig-windows-tools, which configures the folders that plugins use. */
export const installContainerd = [
  'curl.exe -LO https://raw.githubusercontent.com/kubernetes-sigs/sig-windows-tools/master/hostprocess/Install-Containerd.ps1',
  '.\\Install-Containerd.ps1 -ContainerDVersion 1.7.27 -CNIConfigPath "c:/etc/cni/net.d" -CNIBinPath "c:/opt/cni/bin"',
] as const;

export const installDocker = [
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

/** For plugins that run as programs and services on the node: any runtime is supported. */
export const anyRuntime = (target: Installation) =>
  prerequisite(target, 'container-runtime', {
    title: 'Container runtime is Docker 17.06 or later, or containerd',
    needs: [],
    run({node, object}) {
      const runtime = object?.status?.nodeInfo?.containerRuntimeVersion;
      const [, name = '', version] = /^([\w-]+):\/\/(.*)$/.exec(runtime ?? '') ?? [];
      const services = node.services?.filter(its => /^(docker|containerd)$/i.test(its.name)) ?? [];
      const own = services.find(its => its.name.toLowerCase() === name) ?? services[0];
      if (own && services.every(({state}) => !/^running$/i.test(state)))
        return fail(`Service ${own.name} is ${own.state.toLowerCase()}: no container can start.`)
          .because({section: 'services', object: own.name, field: 'State', seen: own.state, expected: 'Running'})
          .fixedBy(manual(`Start-Service ${powerShellText(own.name)}`));
      const release = name === 'docker' ? coerce(version) : null;
      if (release && lt(release, '17.6.0'))
        return fail(`Docker ${version} is older than 17.06, which Windows nodes require.`)
          .because({
            section: 'cluster',
            object: `Node ${node.name}`,
            field: 'nodeInfo.containerRuntimeVersion',
            seen: runtime,
            expected: 'docker://17.06 or later, or containerd',
          })
          .fixedBy(
            manual(
              'Install-Package -Name Docker -ProviderName DockerMsftProvider -Update -Force',
              'Start-Service Docker',
            ),
          );
      if (runtime !== undefined || own) return undefined;
      if (!node.services) return unknown('The container runtime of the node is unknown.');
      return fail('The node has neither Docker nor containerd.')
        .because({section: 'services', object: 'docker, containerd', seen: null, expected: 'one of them, running'})
        .fixedBy(manual(...installContainerd));
    },
    explain: {
      meaning: 'kubelet requires a container runtime. It is missing, not running, or too old.',
      why: 'The node was prepared manually without this step, or the service does not start with Windows.',
      see: ['Get-Service docker, containerd', 'kubectl get nodes -o wide'],
      fix: [
        'Install containerd, which every Kubernetes version supports:',
        ...installContainerd,
        'Or Docker, for Kubernetes before 1.24:',
        ...installDocker,
      ],
      sources: [dockerGuide],
    },
  });
