# Addresses, routes and name servers with everything that is needed to restore them: stores, metrics, origins.

function Get-NetworkState {
    [pscustomobject]@{
        netAdapters     = @(Get-NetAdapterSection)
        netIPAddresses  = @(Get-AddressState)
        netIPInterfaces = @(Get-InterfaceState)
        netRoutes       = @(Get-RouteState)
        dnsServers      = @(Get-NameServerState)
    }
}

function Get-AddressState {
    $all = @(Get-StoredAddress)
    $persistent = @($all | Where-Object -FilterScript { $_.Store -eq 'PersistentStore' } | ForEach-Object -Process { "$($_.InterfaceIndex) $($_.IPAddress)" })
    $all | Where-Object -FilterScript { $_.Store -eq 'ActiveStore' } |
        Select-Object -Property 'InterfaceAlias', 'InterfaceIndex', 'IPAddress', 'PrefixLength', 'AddressFamily', 'PrefixOrigin', 'AddressState', 'SkipAsSource',
            @{ Name = 'Persistent'; Expression = { $persistent -contains "$($_.InterfaceIndex) $($_.IPAddress)" } }
}

# Every address, once per store that has it.
function Get-StoredAddress {
    $persistent = 0
    foreach ($address in @(Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetIPAddress)) {
        $store = 'ActiveStore'
        if (-not (Test-ActiveStore -Instance $address)) {
            $store = 'PersistentStore'
            $persistent++
        }
        $address | Select-AddressField -Store $store
    }
    # It is not documented whether Get-CimInstance returns both stores: if it returns one, the other is read by name.
    if ($persistent -eq 0) { Get-PersistentRow -Kind Address | Select-AddressField -Store PersistentStore }
}

function Select-AddressField {
    param([Parameter(ValueFromPipeline = $true)][object]$Address, [Parameter(Mandatory = $true)][string]$Store)
    process {
        $Address | Select-Object -Property 'InterfaceAlias', 'InterfaceIndex', 'IPAddress', 'PrefixLength',
            @{ Name = 'AddressFamily'; Expression = { ConvertTo-EnumName -Kind AddressFamily -Value $_.AddressFamily } },
            @{ Name = 'PrefixOrigin'; Expression = { ConvertTo-EnumName -Kind PrefixOrigin -Value $_.PrefixOrigin } },
            @{ Name = 'AddressState'; Expression = { ConvertTo-EnumName -Kind AddressState -Value $_.AddressState } },
            @{ Name = 'SkipAsSource'; Expression = { [bool]$_.SkipAsSource } },
            @{ Name = 'Store'; Expression = { $Store } }
    }
}

function Get-InterfaceState {
    Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetIPInterface |
        Where-Object -FilterScript { Test-ActiveStore -Instance $_ } |
        Select-Object -Property 'InterfaceAlias', 'InterfaceIndex',
            @{ Name = 'AddressFamily'; Expression = { ConvertTo-EnumName -Kind AddressFamily -Value $_.AddressFamily } },
            @{ Name = 'Dhcp'; Expression = { ConvertTo-EnumName -Kind Switch -Value $_.Dhcp } },
            'InterfaceMetric',
            @{ Name = 'AutomaticMetric'; Expression = { ConvertTo-EnumName -Kind Switch -Value $_.AutomaticMetric } }
}

function Get-RouteState {
    $persistent = 0
    foreach ($route in @(Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetRoute)) {
        $store = 'ActiveStore'
        if (-not (Test-ActiveStore -Instance $route)) {
            $store = 'PersistentStore'
            $persistent++
        }
        $route | Select-RouteField -Store $store
    }
    # As in Get-StoredAddress.
    if ($persistent -eq 0) { Get-PersistentRow -Kind Route | Select-RouteField -Store PersistentStore }
}

function Select-RouteField {
    param([Parameter(ValueFromPipeline = $true)][object]$Route, [Parameter(Mandatory = $true)][string]$Store)
    process {
        $Route | Select-Object -Property 'DestinationPrefix', 'NextHop', 'InterfaceAlias', 'InterfaceIndex', 'RouteMetric',
            @{ Name = 'Store'; Expression = { $Store } }
    }
}

# Some cmdlets fail for an empty store. Other errors are thrown: what was not read cannot be restored.
function Get-PersistentRow {
    param([Parameter(Mandatory = $true)][ValidateSet('Address', 'Route')][string]$Kind)
    try {
        if ($Kind -eq 'Address') { Get-NetIPAddress -PolicyStore PersistentStore } else { Get-NetRoute -PolicyStore PersistentStore }
    } catch {
        if ([string]$_.CategoryInfo.Category -ne 'ObjectNotFound') { throw }
    }
}

function Get-NameServerState {
    $guids = @{}
    foreach ($adapter in @(Get-NetAdapterSection)) { $guids[[string]$adapter.InterfaceIndex] = $adapter.InterfaceGuid }
    foreach ($row in @(Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_DNSClientServerAddress)) {
        $family = ConvertTo-EnumName -Kind AddressFamily -Value $row.AddressFamily
        [pscustomobject]@{
            InterfaceAlias  = $row.InterfaceAlias
            InterfaceIndex  = $row.InterfaceIndex
            AddressFamily   = $family
            ServerAddresses = @(Get-NameServer -Instance $row)
            Origin          = Get-NameServerOrigin -InterfaceGuid $guids[[string]$row.InterfaceIndex] -Family $family
        }
    }
}

# Only the registry distinguishes manual servers from leased ones. Nothing if it does not have the interface.
function Get-NameServerOrigin {
    param([AllowNull()][AllowEmptyString()][string]$InterfaceGuid, [Parameter(Mandatory = $true)][string]$Family)
    if ($InterfaceGuid -eq '') { return $null }
    $service = 'Tcpip'
    if ($Family -eq 'IPv6') { $service = 'Tcpip6' }
    $path = "HKLM:\SYSTEM\CurrentControlSet\Services\$service\Parameters\Interfaces\$InterfaceGuid"
    if (-not (Test-Path -LiteralPath $path)) { return $null }
    $manual = [string](Get-Field -InputObject (Get-ItemProperty -LiteralPath $path) -Name NameServer)
    if ($manual.Trim() -ne '') { return 'Manual' }
    'Automatic'
}
