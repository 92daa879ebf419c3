# Services and processes that belong to the pod network.

# By name, or by where it runs from: what nssm wraps has any name.
function Test-NetworkService {
    param([Parameter(Mandatory = $true)][object]$Service)
    $names = @('hns', 'vfpext', 'vmcompute', 'vmms', 'vmsmp', 'containerd', 'docker', 'kubelet', 'kube-proxy', 'kubeproxy', 'flanneld',
        'ovsdb-server', 'ovs-vswitchd', 'ovsext', 'ovn-controller', 'kube-ovn', 'antrea-agent', 'CalicoNode', 'CalicoFelix',
        'CalicoConfd', 'CalicoUpgrade', 'hybrid-overlay-node', 'ovn-kubernetes-node', 'windows-instance-config-daemon',
        'windows_exporter', 'csi-proxy', 'hosts-config-agent', 'RemoteAccess', 'Dhcp', 'Dnscache', 'mpssvc', 'winnat', 'SharedAccess')
    if ($names -contains $Service.Name) { return $true }
    if ([string](Get-Field -InputObject $Service -Name Description) -like 'OpenShift managed*') { return $true }
    [string]$Service.PathName -match '(?i):\\(k|opt\\cni|openvswitch|ovn|kube-ovn|flannel|CalicoWindows)\\|kubernetes|antrea'
}

function Get-ServiceSection {
    $started = @{}
    foreach ($process in @(Get-CimInstance -ClassName Win32_Process)) { $started[[int]$process.ProcessId] = $process.CreationDate }
    $services = @(Get-CimInstance -ClassName Win32_Service) + @(Get-CimInstance -ClassName Win32_SystemDriver)
    foreach ($service in $services) {
        if (-not (Test-NetworkService -Service $service)) { continue }
        $processId = [int](Get-Field -InputObject $service -Name ProcessId)
        [pscustomobject]@{
            Name        = $service.Name
            DisplayName = $service.DisplayName
            State       = $service.State
            StartMode   = $service.StartMode
            ProcessId   = $processId
            ExitCode    = $service.ExitCode
            PathName    = $service.PathName
            StartName   = $service.StartName
            DependsOn   = @(Get-ServiceDependency -Name $service.Name)
            StartedAt   = $(if ($processId -ne 0) { Format-Time -Time $started[$processId] })
            Description = Get-Field -InputObject $service -Name Description
        }
    }
}

function Get-ServiceDependency {
    param([Parameter(Mandatory = $true)][string]$Name)
    $key = "HKLM:\SYSTEM\CurrentControlSet\Services\$Name"
    if (-not (Test-Path -LiteralPath $key)) { return }
    Get-Field -InputObject (Get-ItemProperty -LiteralPath $key) -Name DependOnService
}
