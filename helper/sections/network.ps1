# Adapters and the TCP/IP stack, from CIM, which needs no modules and includes hidden objects.

function Get-NetAdapterSection {
    Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetAdapter |
        Select-Object -Property 'Name', 'InterfaceDescription', 'InterfaceIndex', 'InterfaceGuid',
            @{ Name = 'Status'; Expression = { ConvertTo-AdapterStatus -Adapter $_ } },
            @{ Name = 'MacAddress'; Expression = { Get-AdapterMacAddress -Adapter $_ } },
            'MtuSize', 'Virtual', 'HardwareInterface', 'Hidden',
            @{ Name = 'LinkSpeed'; Expression = { Format-LinkSpeed -BitsPerSecond $_.Speed } },
            'ComponentID'
}

# The address in use, which may differ from the permanent one.
function Get-AdapterMacAddress {
    param([Parameter(Mandatory = $true)][object]$Adapter)
    $inUse = @(Get-Field -InputObject $Adapter -Name NetworkAddresses) | Select-Object -First 1
    $mac = Format-MacAddress -Address $inUse
    if ($null -ne $mac) { return $mac }
    Format-MacAddress -Address (Get-Field -InputObject $Adapter -Name PermanentAddress)
}

# The IP classes may have each object once per store. Store 1 is the active one.
function Test-ActiveStore {
    param([Parameter(Mandatory = $true)][object]$Instance)
    $store = Get-Field -InputObject $Instance -Name Store
    $null -eq $store -or [int]$store -eq 1
}

function Get-NetIPAddressSection {
    Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetIPAddress |
        Where-Object -FilterScript { Test-ActiveStore -Instance $_ } |
        Select-Object -Property 'InterfaceAlias', 'InterfaceIndex', 'IPAddress', 'PrefixLength',
            @{ Name = 'AddressFamily'; Expression = { ConvertTo-EnumName -Kind AddressFamily -Value $_.AddressFamily } },
            @{ Name = 'PrefixOrigin'; Expression = { ConvertTo-EnumName -Kind PrefixOrigin -Value $_.PrefixOrigin } },
            @{ Name = 'AddressState'; Expression = { ConvertTo-EnumName -Kind AddressState -Value $_.AddressState } },
            @{ Name = 'SkipAsSource'; Expression = { [bool]$_.SkipAsSource } }
}

function Get-NetIPInterfaceSection {
    Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetIPInterface |
        Where-Object -FilterScript { Test-ActiveStore -Instance $_ } |
        Select-Object -Property 'InterfaceAlias', 'InterfaceIndex',
            @{ Name = 'AddressFamily'; Expression = { ConvertTo-EnumName -Kind AddressFamily -Value $_.AddressFamily } },
            'NlMtu',
            @{ Name = 'Forwarding'; Expression = { ConvertTo-EnumName -Kind Switch -Value $_.Forwarding } },
            @{ Name = 'Dhcp'; Expression = { ConvertTo-EnumName -Kind Switch -Value $_.Dhcp } },
            @{ Name = 'ConnectionState'; Expression = { ConvertTo-EnumName -Kind ConnectionState -Value $_.ConnectionState } },
            'InterfaceMetric',
            @{ Name = 'AutomaticMetric'; Expression = { ConvertTo-EnumName -Kind Switch -Value $_.AutomaticMetric } }
}

# Both stores, because duplicate persistent routes are a problem.
function Get-NetRouteSection {
    Get-RouteState
}

# Every adapter has a row per address family; an empty one is reported for IPv4 only.
function Get-DnsServerSection {
    Get-NameServerState | Where-Object -FilterScript { $_.AddressFamily -eq 'IPv4' -or @($_.ServerAddresses).Count -gt 0 }
}

# If no IPv6 servers are set, Windows returns fec0:0:0:ffff::1 to ::3 (ovn-kubernetes#2530).
function Get-NameServer {
    param([Parameter(Mandatory = $true)][object]$Instance)
    @($Instance.ServerAddresses) | Where-Object -FilterScript { $_ -and $_ -notlike 'fec0:0:0:ffff::*' }
}

function Get-NetNatSection {
    Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetNat |
        Select-Object -Property 'Name', 'InternalIPInterfaceAddressPrefix', @{ Name = 'Active'; Expression = { [bool]$_.Active } }
}

function Get-AdapterBindingSection {
    $components = @('vms_pp', 'ms_tcpip', 'ovsext')
    Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetAdapterBindingSettingData |
        Where-Object -FilterScript { $components -contains $_.ComponentID } |
        Select-Object -Property 'Name', 'ComponentID', @{ Name = 'Enabled'; Expression = { [bool]$_.Enabled } }
}

# "49152  49251  *": two numbers per line, in every language.
function Get-ExcludedPortSection {
    foreach ($protocol in @('tcp', 'udp')) {
        $arguments = @('interface', 'ipv4', 'show', 'excludedportrange', "protocol=$protocol")
        $text = Invoke-NativeChecked -Path (Get-SystemProgram -Name netsh.exe) -Arguments $arguments
        foreach ($line in ($text -split '\r?\n')) {
            if ($line -match '^\s*(\d+)\s+(\d+)\s*\*?\s*$') {
                [pscustomobject]@{ Protocol = $protocol; Start = [int]$Matches[1]; End = [int]$Matches[2] }
            }
        }
    }
}
