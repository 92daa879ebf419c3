# Adapters and the TCP/IP stack, from CIM: no module has to load, and nothing is hidden.

function Get-NetAdapterSection {
    Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetAdapter | Select-Object -Property Name, InterfaceDescription,
        InterfaceIndex, InterfaceGuid,
        @{ Name = 'Status'; Expression = { ConvertTo-AdapterStatus -Adapter $_ } },
        @{ Name = 'MacAddress'; Expression = { Get-AdapterMacAddress -Adapter $_ } },
        MtuSize, Virtual, HardwareInterface,
        @{ Name = 'LinkSpeed'; Expression = { Format-LinkSpeed -BitsPerSecond $_.Speed } },
        ComponentID
}

# The address in use, which differs from the burnt-in one on virtual adapters.
function Get-AdapterMacAddress {
    param([Parameter(Mandatory = $true)][object]$Adapter)
    $inUse = @(Get-Field -InputObject $Adapter -Name NetworkAddresses) | Select-Object -First 1
    $mac = Format-MacAddress -Address $inUse
    if ($null -ne $mac) { return $mac }
    Format-MacAddress -Address (Get-Field -InputObject $Adapter -Name PermanentAddress)
}

# Classes of the IP stack hold each object once for every store: Store 1 is the active one.
function Test-ActiveStore {
    param([Parameter(Mandatory = $true)][object]$Instance)
    $store = Get-Field -InputObject $Instance -Name Store
    $null -eq $store -or [int]$store -eq 1
}

function Get-NetIPAddressSection {
    Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetIPAddress |
        Where-Object -FilterScript { Test-ActiveStore -Instance $_ } |
        Select-Object -Property InterfaceAlias, InterfaceIndex, IPAddress, PrefixLength,
            @{ Name = 'AddressFamily'; Expression = { ConvertTo-EnumName -Kind AddressFamily -Value $_.AddressFamily } },
            @{ Name = 'PrefixOrigin'; Expression = { ConvertTo-EnumName -Kind PrefixOrigin -Value $_.PrefixOrigin } },
            @{ Name = 'AddressState'; Expression = { ConvertTo-EnumName -Kind AddressState -Value $_.AddressState } }
}
