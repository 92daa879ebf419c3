# Every section by name: the function that reads it, whether it is a list, and whether it is slow when read for the first time.

function Get-SectionTable {
    [ordered]@{
        os                 = @{ Function = 'Get-OsSection'; List = $false }
        hnsNetworks        = @{ Function = 'Get-HnsNetworkSection'; List = $true }
        hnsEndpoints       = @{ Function = 'Get-HnsEndpointSection'; List = $true }
        hnsPolicyLists     = @{ Function = 'Get-HnsPolicyListSection'; List = $true }
        hnsNamespaces      = @{ Function = 'Get-HnsNamespaceSection'; List = $true }
        hnsPortPools       = @{ Function = 'Get-HnsPortPoolSection'; List = $true }
        hnsService         = @{ Function = 'Get-HnsServiceSection'; List = $false }
        netAdapters        = @{ Function = 'Get-NetAdapterSection'; List = $true }
        netIPAddresses     = @{ Function = 'Get-NetIPAddressSection'; List = $true }
        netIPInterfaces    = @{ Function = 'Get-NetIPInterfaceSection'; List = $true }
        netRoutes          = @{ Function = 'Get-NetRouteSection'; List = $true }
        dnsServers         = @{ Function = 'Get-DnsServerSection'; List = $true }
        netNats            = @{ Function = 'Get-NetNatSection'; List = $true }
        adapterBindings    = @{ Function = 'Get-AdapterBindingSection'; List = $true }
        vmSwitches         = @{ Function = 'Get-VMSwitchSection'; List = $true }
        vmSwitchExtensions = @{ Function = 'Get-VMSwitchExtensionSection'; List = $true }
        vfpPorts           = @{ Function = 'Get-VfpPortSection'; List = $true }
        ovs                = @{ Function = 'Get-OvsSection'; List = $false }
        ovsFlows           = @{ Function = 'Get-OvsFlowSection'; List = $true }
        services           = @{ Function = 'Get-ServiceSection'; List = $true }
        processes          = @{ Function = 'Get-ProcessSection'; List = $true }
        firewall           = @{ Function = 'Get-FirewallSection'; List = $false; Slow = $true }
        windowsFeatures    = @{ Function = 'Get-WindowsFeatureSection'; List = $true; Slow = $true }
        hotfixes           = @{ Function = 'Get-HotfixSection'; List = $true }
        bootOptions        = @{ Function = 'Get-BootOptionSection'; List = $false }
        drivers            = @{ Function = 'Get-DriverSection'; List = $false }
        containerd         = @{ Function = 'Get-ContainerdSection'; List = $false }
        files              = @{ Function = 'Get-FileSection'; List = $true }
        registry           = @{ Function = 'Get-RegistrySection'; List = $true }
        environment        = @{ Function = 'Get-EnvironmentSection'; List = $true }
        scheduledTasks     = @{ Function = 'Get-ScheduledTaskSection'; List = $true }
        excludedPorts      = @{ Function = 'Get-ExcludedPortSection'; List = $true }
        dynamicPorts       = @{ Function = 'Get-DynamicPortSection'; List = $true }
        events             = @{ Function = 'Get-EventSection'; List = $true }
        logs               = @{ Function = 'Get-LogSection'; List = $true }
        probes             = @{ Function = 'Get-ProbeSection'; List = $true }
        plans              = @{ Function = 'Get-PlanSection'; List = $true }
    }
}

# The section as JSON text. Runs in a runspace.
function Read-Section {
    param([Parameter(Mandatory = $true)][string]$Name, [AllowEmptyCollection()][object[]]$Probes = @(), [hashtable]$Logs = @{})
    $section = (Get-SectionTable)[$Name]
    $parameters = @{}
    if ($Name -eq 'probes') { $parameters['Probes'] = $Probes }
    if ($Name -eq 'logs') { $parameters = $Logs }
    $function = $section.Function
    $data = @(& $function @parameters)
    # A list of HNS is passed on unchanged.
    if ($data.Count -eq 1 -and (Test-RawJson -Value $data[0]) -and $data[0].ToString().StartsWith('[')) { return $data[0].ToString() }
    if ($section.List) { return ConvertTo-JsonText -Value $data }
    ConvertTo-JsonText -Value $data[0]
}
