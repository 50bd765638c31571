// The command lines of etcd, kube-apiserver and the controllers for one machine. Pure.
import type { Credential } from './certificates.ts';
import { atLoopback, LOOPBACK } from './loopback.ts';

export interface ControlPlanePorts {
  etcd: number;
  etcdPeer: number;
  apiserver: number;
}

export interface ControlPlaneFiles {
  etcdData: string;
  /** The folder for the files that kube-apiserver creates itself. */
  certDir: string;
  authority: Credential;
  frontProxyAuthority: Credential;
  /** For etcd's client and peer ports; also the client that kube-apiserver is to etcd. */
  etcd: Credential;
  apiserver: Credential;
  frontProxyClient: Credential;
  serviceAccounts: { keyFile: string; publicFile: string };
  /** In the format of --token-auth-file. */
  tokens?: string;
  /** That of the controllers. */
  controllerManagerKubeconfig: string;
}

/** The addresses of Services have the family of kube-apiserver's own. */
const SERVICE_NETWORKS = { '127.0.0.1': '10.0.0.0/24', '::1': 'fd00:10::/112' } as const;

/** Without fsync: the writes of a killed etcd are in the page cache, and only a crash of the machine loses them. */
export function etcdArguments(ports: ControlPlanePorts, files: ControlPlaneFiles): string[] {
  const client = `https://${atLoopback(ports.etcd)}`;
  const peer = `https://${atLoopback(ports.etcdPeer)}`;
  return [
    `--data-dir=${files.etcdData}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
    // Any user of the machine can reach a loopback port, and who reads etcd reads every Secret.
    '--client-cert-auth',
    `--trusted-ca-file=${files.authority.certificateFile}`,
    `--cert-file=${files.etcd.certificateFile}`,
    `--key-file=${files.etcd.keyFile}`,
    '--peer-client-cert-auth',
    `--peer-trusted-ca-file=${files.authority.certificateFile}`,
    `--peer-cert-file=${files.etcd.certificateFile}`,
    `--peer-key-file=${files.etcd.keyFile}`,
  ];
}

export function apiserverArguments(ports: ControlPlanePorts, files: ControlPlaneFiles): string[] {
  return [
    `--etcd-servers=https://${atLoopback(ports.etcd)}`,
    `--etcd-cafile=${files.authority.certificateFile}`,
    `--etcd-certfile=${files.etcd.certificateFile}`,
    `--etcd-keyfile=${files.etcd.keyFile}`,
    `--secure-port=${ports.apiserver}`,
    `--bind-address=${LOOPBACK}`,
    // Else the address of the default route is looked for, which a machine without network does not have; and the
    // endpoints of the service "kubernetes", for pods that do not exist here, refuse loopback addresses.
    `--advertise-address=${LOOPBACK}`,
    '--endpoint-reconciler-type=none',
    `--cert-dir=${files.certDir}`,
    `--tls-cert-file=${files.apiserver.certificateFile}`,
    `--tls-private-key-file=${files.apiserver.keyFile}`,
    `--client-ca-file=${files.authority.certificateFile}`,
    ...(files.tokens === undefined ? [] : [`--token-auth-file=${files.tokens}`]),
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${files.serviceAccounts.publicFile}`,
    `--service-account-signing-key-file=${files.serviceAccounts.keyFile}`,
    '--authorization-mode=Node,RBAC',
    '--allow-privileged',
    `--service-cluster-ip-range=${SERVICE_NETWORKS[LOOPBACK]}`,
    // Aggregated APIs (the solver) trust kube-apiserver by these (Kubernetes, "Configure the Aggregation Layer").
    `--requestheader-client-ca-file=${files.frontProxyAuthority.certificateFile}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${files.frontProxyClient.certificateFile}`,
    `--proxy-client-key-file=${files.frontProxyClient.keyFile}`,
  ];
}

/** The controllers that a cluster without nodes needs; every further controller costs watches and memory. */
const CONTROLLERS = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'clusterrole-aggregation-controller',
  'resourcequota-controller',
  'certificatesigningrequest-signing-controller',
  'certificatesigningrequest-approving-controller',
  'validatingadmissionpolicy-status-controller',
];

/**
 * Those of our own program `controllers`, which gives each controller the service account that Kubernetes has for it.
 */
export function controllersArguments(files: ControlPlaneFiles): string[] {
  return [
    `--kubeconfig=${files.controllerManagerKubeconfig}`,
    `--controllers=${CONTROLLERS.join(',')}`,
    `--service-account-private-key-file=${files.serviceAccounts.keyFile}`,
    `--root-ca-file=${files.authority.certificateFile}`,
    `--cluster-signing-cert-file=${files.authority.certificateFile}`,
    `--cluster-signing-key-file=${files.authority.keyFile}`,
  ];
}

export function controllerManagerArguments(files: ControlPlaneFiles): string[] {
  const kubeconfig = files.controllerManagerKubeconfig;
  return [
    ...controllersArguments(files),
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--secure-port=0',
    '--leader-elect=false',
    '--use-service-account-credentials',
  ];
}
