# Services, processes and scheduled tasks that belong to the pod network.

# By name, or by path, because a service of nssm can have any name.
function Test-NetworkService {
    param([Parameter(Mandatory = $true)][object]$Service)
    $names = @('hns', 'vfpext', 'vmcompute', 'vmms', 'vmsmp', 'containerd', 'docker', 'rke2', 'kubelet', 'kube-proxy', 'kubeproxy', 'flanneld',
        'ovsdb-server', 'ovs-vswitchd', 'ovsext', 'ovn-controller', 'kube-ovn', 'antrea-agent', 'CalicoNode', 'CalicoFelix',
        'CalicoConfd', 'CalicoUpgrade', 'hybrid-overlay-node', 'ovn-kubernetes-node', 'ovn-k8s', 'windows-instance-config-daemon',
        'windows_exporter', 'csi-proxy', 'hosts-config-agent', 'RemoteAccess', 'Dhcp', 'Dnscache', 'mpssvc', 'winnat', 'SharedAccess')
    if ($names -contains $Service.Name) { return $true }
    if ([string](Get-Field -InputObject $Service -Name Description) -like 'OpenShift managed*') { return $true }
    [string]$Service.PathName -match '(?i):\\(k|opt\\cni|openvswitch|ovn|kube-ovn|flannel|CalicoWindows)\\|kubernetes|antrea'
}

function Get-ServiceSection {
    $started = @{}
    foreach ($process in @(Get-CimInstance -ClassName Win32_Process)) { $started[[int]$process.ProcessId] = $process.CreationDate }
    # vfpext and ovsext are drivers, which Win32_Service does not list.
    $services = @(Get-CimInstance -ClassName Win32_Service) + @(Get-CimInstance -ClassName Win32_SystemDriver)
    foreach ($service in $services) {
        if (-not (Test-NetworkService -Service $service)) { continue }
        $processId = [int](Get-Field -InputObject $service -Name ProcessId)
        $startedAt = $null
        if ($processId -ne 0) { $startedAt = Format-Time -Time $started[$processId] }
        $entry = [ordered]@{
            Name        = $service.Name
            DisplayName = $service.DisplayName
            State       = $service.State
            StartMode   = $service.StartMode
            ProcessId   = $processId
            ExitCode    = $service.ExitCode
            PathName    = Hide-ArgumentSecret -Text $service.PathName
            StartName   = $service.StartName
            DependsOn   = $null
            StartedAt   = $startedAt
            Description = Get-Field -InputObject $service -Name Description
        }
        try {
            $entry['DependsOn'] = @(Get-ServiceDependency -Name $service.Name)
            $wrapped = Get-WrappedProgram -Name $service.Name
            if ($null -ne $wrapped) {
                $entry['Application'] = $wrapped.Application
                # Like the section processes: only the command line of kube-proxy.
                if ($wrapped.Application -match 'kube-?proxy(\.exe)?$' -or $service.Name -match '^kube-?proxy$') { $entry['AppParameters'] = Hide-ArgumentSecret -Text $wrapped.Arguments }
            }
        } catch {
            # The key cannot be read, or the service was removed: the others are still reported.
            $entry['Error'] = (ConvertTo-ErrorObject -ErrorRecord $_).message
        }
        [pscustomobject]$entry
    }
}

function Get-ServiceDependency {
    param([Parameter(Mandatory = $true)][string]$Name)
    $key = "HKLM:\SYSTEM\CurrentControlSet\Services\$Name"
    if (-not (Test-Path -LiteralPath $key)) { return }
    $names = Get-Field -InputObject (Get-ItemProperty -LiteralPath $key) -Name DependOnService
    if ($null -ne $names) { $names }
}

function Get-ProcessSection {
    $names = @('containerd.exe', 'dockerd.exe', 'rke2.exe', 'kubelet.exe', 'kube-proxy.exe', 'flanneld.exe', 'antrea-agent.exe', 'ovsdb-server.exe',
        'ovs-vswitchd.exe', 'ovn-controller.exe', 'kube-ovn-daemon.exe', 'calico-node.exe', 'calico.exe', 'azure-cns.exe', 'azure-vnet.exe',
        'azure-vnet-telemetry.exe', 'hybrid-overlay-node.exe', 'ovnkube.exe', 'k8s_ovn.exe', 'windows-instance-config-daemon.exe', 'aws-vpc-cni.exe', 'nssm.exe')
    # hns runs in a svchost.exe, which only the process id of its service identifies.
    $hns = Get-CimInstance -ClassName Win32_Service | Where-Object -FilterScript { $_.Name -eq 'hns' }
    $hnsProcess = [int](Get-Field -InputObject $hns -Name ProcessId)
    foreach ($process in @(Get-CimInstance -ClassName Win32_Process)) {
        $isHns = $hnsProcess -ne 0 -and [int]$process.ProcessId -eq $hnsProcess
        if (-not $isHns -and $names -notcontains $process.Name) { continue }
        $entry = [ordered]@{
            Name        = $process.Name
            ProcessId   = [int]$process.ProcessId
            StartTime   = Format-Time -Time $process.CreationDate
            ThreadCount = $process.ThreadCount
        }
        if ($isHns) { $entry['Service'] = 'hns' }
        # Its flags have the node name that it uses. Other command lines are not passed on.
        if ($process.Name -eq 'kube-proxy.exe') { $entry['CommandLine'] = Hide-ArgumentSecret -Text (Get-Field -InputObject $process -Name CommandLine) }
        [pscustomobject]$entry
    }
}

# Tasks that are not part of Windows, and scheduled jobs of PowerShell, which are below the folder of Windows.
function Get-ScheduledTaskSection {
    foreach ($task in @(Get-ScheduledTask)) {
        if ($task.TaskPath -like '\Microsoft\*' -and $task.TaskPath -notlike '*\ScheduledJobs\*') { continue }
        $entry = [ordered]@{ TaskName = $task.TaskName; State = ConvertTo-EnumName -Kind TaskState -Value $task.State }
        try {
            $info = Get-ScheduledTaskInfo -TaskName $task.TaskName -TaskPath $task.TaskPath
            # A task that never ran has no time, or one before 2000.
            $ran = $info.LastRunTime
            if ($null -ne $ran -and ([datetime]$ran).Year -lt 2000) { $ran = $null }
            $entry['LastRunTime'] = Format-Time -Time $ran
            $entry['LastTaskResult'] = $info.LastTaskResult
        } catch {
            # The task cannot be read, or was removed: the others are still reported.
            $entry['Error'] = (ConvertTo-ErrorObject -ErrorRecord $_).message
        }
        [pscustomobject]$entry
    }
}
