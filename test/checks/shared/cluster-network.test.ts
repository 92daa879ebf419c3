import {describe, expect, it} from 'vitest';
import {podRanges, serviceRanges} from '../../../src/checks/cluster-network.js';
import {ClusterModel} from '../../../src/snapshot/cluster.js';
import type {Raw} from '../support.js';

const configMap = (name: string, data: Record<string, string>): Raw => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {name, namespace: 'kube-system'},
  data,
});
const kubeadm = (text: string) => configMap('kubeadm-config', {ClusterConfiguration: `networking:\n${text}\n`});
const kubeProxy = (text: string) => configMap('kube-proxy', {'config.conf': text});
const controlPlane = (component: string, ...containers: Raw[]): Raw => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {name: component, namespace: 'kube-system', labels: {component}},
  spec: {nodeName: 'cp', containers: containers.map((each, i) => ({name: `c${i}`, ...each}))},
});
const custom = (apiVersion: string, kind: string, spec: Raw): Raw => ({
  apiVersion,
  kind,
  metadata: {name: 'cluster'},
  spec,
});
const manager = controlPlane('kube-controller-manager', {
  command: ['kube-controller-manager', '--cluster-cidr=10.1.0.0/16,fd00::/48'],
});
const apiServer = controlPlane('kube-apiserver', {args: ['--service-cluster-ip-range=10.2.0.0/16']});
const openshift = (group: string, spec: Raw) => custom(`${group}/v1`, 'Network', spec);

describe('the ranges of pods', () => {
  const told = (...objects: Raw[]) => podRanges(new ClusterModel(objects));

  it.each([
    ['kubeadm', kubeadm('  podSubnet: 10.1.0.0/16')],
    ['kubeadm, in quotes', kubeadm('  podSubnet: "10.1.0.0/16"  # of pods')],
    ['kubeadm, with both families', kubeadm('  podSubnet: fd00::/48,10.1.0.0/16')],
    ['the controller manager', manager],
    ['kube-proxy', kubeProxy('clusterCIDR: 10.1.0.0/16')],
    ['OpenShift', openshift('config.openshift.io', {clusterNetwork: [{cidr: '10.1.0.0/16', hostPrefix: 23}]})],
    ["OpenShift's operator", openshift('operator.openshift.io', {clusterNetwork: [{cidr: '10.1.0.0/16'}]})],
  ])('are recognised by %s', (_, object) => {
    expect(told(object)).toEqual(['10.1.0.0/16']);
  });

  it('are all that there are', () => {
    expect(told(kubeadm('  podSubnet: 10.1.0.0/16,10.3.0.0/16'))).toEqual(['10.1.0.0/16', '10.3.0.0/16']);
  });

  it('are what the first place says that tells any of IPv4', () => {
    expect(told(kubeadm('  podSubnet: 10.9.0.0/16'), manager)).toEqual(['10.9.0.0/16']);
    expect(told(kubeadm('  podSubnet: fd00::/48'), manager)).toEqual(['10.1.0.0/16']);
    expect(told(kubeProxy('clusterCIDR: 10.9.0.0/16'), manager)).toEqual(['10.1.0.0/16']);
  });

  it.each([
    ['nothing', kubeProxy('clusterCIDR: ""')],
    ['IPv6 alone', kubeadm('  podSubnet: fd00::/48')],
    ['no range', kubeadm('  podSubnet: x10.1.0.0/16')],
    ['a range with something behind', kubeadm('  podSubnet: 10.1.0.0/16x')],
    ['a flag of another program', controlPlane('etcd', {command: ['--cluster-cidr=10.1.0.0/16']})],
    ['another flag', controlPlane('kube-controller-manager', {command: ['--service-cluster-ip-range=10.1.0.0/16']})],
    ['a number', openshift('config.openshift.io', {clusterNetwork: [7]})],
    ['a network of somebody else', openshift('example.com', {clusterNetwork: [{cidr: '10.1.0.0/16'}]})],
  ])('are not known where there is %s', (_, object) => {
    expect(told(object)).toEqual([]);
  });

  it('are not known without a cluster', () => {
    expect(podRanges(undefined)).toEqual([]);
    expect(told()).toEqual([]);
  });
});

describe('the ranges of Services', () => {
  const told = (...objects: Raw[]) => serviceRanges(new ClusterModel(objects));
  const ranges = custom('networking.k8s.io/v1', 'ServiceCIDR', {cidrs: ['10.2.0.0/16', 'fd01::/108']});

  it.each([
    ['kubeadm', kubeadm('  serviceSubnet: 10.2.0.0/16')],
    ['the API', ranges],
    ['the API server', apiServer],
    [
      'a container beside',
      controlPlane('kube-apiserver', {args: []}, {args: ['--service-cluster-ip-range=10.2.0.0/16']}),
    ],
    ['OpenShift, which lists plain texts', openshift('config.openshift.io', {serviceNetwork: ['10.2.0.0/16']})],
    ['the operator of Calico', custom('operator.tigera.io/v1', 'Installation', {serviceCIDRs: ['10.2.0.0/16']})],
  ])('are recognised by %s', (_, object) => {
    expect(told(object)).toEqual(['10.2.0.0/16']);
  });

  it('are what the API says before a flag', () => {
    const wider = controlPlane('kube-apiserver', {args: ['--service-cluster-ip-range=10.0.0.0/8']});
    expect(told(wider, ranges)).toEqual(['10.2.0.0/16']);
  });

  it('are not known without a cluster', () => {
    expect(serviceRanges(undefined)).toEqual([]);
    expect(told()).toEqual([]);
  });
});
