# Every section by name: the function that reads it, and whether it gives a list. An unknown name is refused.

function Get-SectionTable {
    @{
        os                 = @{ Function = 'Get-OsSection'; List = $false }
        hnsNetworks        = @{ Function = 'Get-HnsNetworkSection'; List = $true }
        hnsEndpoints       = @{ Function = 'Get-HnsEndpointSection'; List = $true }
        hnsPolicyLists     = @{ Function = 'Get-HnsPolicyListSection'; List = $true }
        netAdapters        = @{ Function = 'Get-NetAdapterSection'; List = $true }
        netIPAddresses     = @{ Function = 'Get-NetIPAddressSection'; List = $true }
        vmSwitchExtensions = @{ Function = 'Get-VMSwitchExtensionSection'; List = $true }
        ovs                = @{ Function = 'Get-OvsSection'; List = $false }
        services           = @{ Function = 'Get-ServiceSection'; List = $true }
    }
}

# The section as JSON text. Runs in a runspace.
function Read-Section {
    param([Parameter(Mandatory = $true)][string]$Name, [AllowEmptyCollection()][object[]]$Probes = @())
    $section = (Get-SectionTable)[$Name]
    $parameters = @{}
    if ($Name -eq 'probes') { $parameters['Probes'] = $Probes }
    $function = $section.Function
    $data = @(& $function @parameters)
    if ($data.Count -eq 1 -and (Test-RawJson -Value $data[0])) { return $data[0].Text }
    if ($section.List) { return ConvertTo-JsonText -Value $data }
    ConvertTo-JsonText -Value $data[0]
}
