# Environment variables of the machine that configure plugins. Others are not read, because they may have secrets.

function Get-EnvironmentSection {
    $names = @('Antrea_Home', 'Antrea_LogDir', 'OVS_RUNDIR', 'OVS_LOGDIR', 'OVS_DBDIR', 'OVS_SYSCONFDIR', 'OVS_PKGDATADIR', 'OVS_BINDIR',
        'NODE_NAME', 'NODENAME', 'NODE_IP', 'KUBECONFIG', 'KUBE_NETWORK', 'CNI_BIN_DIR', 'CNI_CONF_DIR', 'CNI_CONF_FILENAME',
        'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT', 'CALICO_NETWORKING_BACKEND', 'CONTAINER_RUNTIME_ENDPOINT')
    foreach ($name in $names) {
        $value = Get-MachineVariable -Name $name
        if ($null -ne $value) { [pscustomobject]@{ Name = $name; Value = Hide-ArgumentSecret -Text $value } }
    }
}
