# What a plan may change, decided from its text alone: the rules of the client (src/repair/steps), which the node enforces itself.
# Rules that depend on the state of the node are in the steps.

# Why a step is refused; nothing if it is allowed.
function Get-StepRefusal {
    param([Parameter(Mandatory = $true)][psobject]$Step)
    $with = $Step.with
    switch ([string]$Step.do) {
        { $_ -like 'service.*' } { return Get-ServiceRefusal -Name $with.name }
        'hns.removeNetwork' { if (Test-ProtectedNetwork -Name $with.name) { return "HNS network $($with.name) does not belong to a network plugin and is not removed." } }
        'vswitch.remove' { if (Test-ProtectedSwitch -Name $with.name) { return "Switch $($with.name) does not belong to a network plugin and is not removed." } }
        'vnic.remove' { if (Test-ProtectedSwitch -Name $with.switchName) { return "Switch $($with.switchName) does not belong to a network plugin, so its vNIC is not removed." } }
        # Disabling an extension is always allowed.
        'vswitch.setExtension' { if ($with.enabled -and (Test-ProtectedSwitch -Name $with.switchName)) { return "Switch $($with.switchName) is not one of a network plugin, so its extensions are not changed." } }
        'file.remove' { return Get-PathRefusal -Path $with.path }
        'registry.removeValue' {
            if (@(Get-RemovableRegistryList | Where-Object -FilterScript { $_.Path -eq $with.path -and $_.Name -eq $with.name }).Count -eq 0) {
                return "Registry value $($with.path)\$($with.name) is not among the values that a plan may remove."
            }
        }
        'firewall.allow' { return Get-FirewallRefusal -With $with }
        'route.add' { return Get-RouteRefusal -With $with }
    }
}

# A plan may change agents, OVS, kube-proxy and HNS, and no other service.
function Get-ServiceRefusal {
    param([Parameter(Mandatory = $true)][string]$Name)
    $known = @('hns', 'kube-proxy', 'kubeproxy', 'ovsdb-server', 'ovs-vswitchd', 'ovn-controller', 'antrea-agent', 'flanneld', 'kube-ovn',
        'CalicoNode', 'CalicoFelix', 'CalicoConfd', 'hybrid-overlay-node', 'ovn-kubernetes-node', 'ovn-k8s')
    if ($known -notcontains $Name) { "Service $Name is not part of the pod network, so it is not changed." }
}

# Networks of Windows and Docker, and base networks that others depend on. Get-NetworkRefusal decides about External.
function Test-ProtectedNetwork {
    param([Parameter(Mandatory = $true)][AllowEmptyString()][string]$Name)
    $Name -match '^(nat|ext|default switch)\z' -or $Name -match '^base'
}

function Test-ProtectedSwitch {
    param([Parameter(Mandatory = $true)][string]$Name)
    $Name -match '^(nat|default switch)\z' -or $Name -match '^base'
}

# Only the text of the path; the step resolves links, and reads where OVS is installed.
function Get-PathRefusal {
    param([Parameter(Mandatory = $true)][string]$Path)
    $refusal = "$Path is not among the files that a plan may remove."
    if (@($Path.Split([char[]]'\/')) -contains '..' -or $Path.Substring(2).IndexOfAny([char[]]':*?"<>|') -ge 0) { return $refusal }
    $clean = $Path.Replace('/', '\') -replace '\\{2,}', '\'
    if ($clean -match '\\(ovsdb-server|ovs-vswitchd|ovn-controller)\.pid\z') { return }
    foreach ($allowed in @(Get-RemovablePathList)) {
        if ($clean -eq $allowed) { return }
        if ($allowed.EndsWith('\') -and $clean.Length -gt $allowed.Length -and $clean.StartsWith($allowed, [System.StringComparison]::OrdinalIgnoreCase)) { return }
    }
    $refusal
}

# Ports of the kubelet and of tunnels. The name is fixed, because the firewall cmdlets accept wildcards in names.
function Get-FirewallRefusal {
    param([Parameter(Mandatory = $true)][psobject]$With)
    $ports = @{ TCP = @(7471, 10250); UDP = @(4789, 4790, 6081, 8472, 9898) }[[string]$With.protocol]
    if ($ports -notcontains $With.port) { return "$($With.protocol) $($With.port) is not a port of the kubelet or of a tunnel, so it is not opened." }
    if ($With.name -cne "kubectl-win-$($With.protocol)-$($With.port)") { return "The firewall rule for $($With.protocol) $($With.port) does not have the name that kubectl win uses." }
}

# Pods, Services and single hosts have longer prefixes; a shorter one would redirect traffic that is not the plan's.
function Get-RouteRefusal {
    param([Parameter(Mandatory = $true)][psobject]$With)
    $length = [int]($With.destination -split '/')[1]
    $least = 8
    if ($With.destination.Contains(':')) { $least = 16 }
    if ($length -lt $least) { return "A route to $($With.destination) has a wider prefix than a plan may add." }
    if ($With.nextHop -match '^(0\.|127\.|22[4-9]\.|2[3-5]\d\.)' -or @('::', '::1') -contains $With.nextHop) { return "$($With.nextHop) is not a next hop." }
}
