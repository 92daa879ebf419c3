# Addresses, routes and DNS servers.

function Find-Adapter {
    param($State, [int]$Index)
    Get-Rows $State netAdapters | Where-Object { $_.InterfaceIndex -eq $Index } | Select-Object -First 1
}

function Get-AddressFamily {
    param([string]$Text)
    if ($Text -like '*:*') { 'IPv6' } else { 'IPv4' }
}

function Set-DhcpInState {
    param($State, [int]$InterfaceIndex, [string]$Family, [string]$Dhcp)
    foreach ($row in @(Get-Rows $State netIPInterfaces | Where-Object { $_.InterfaceIndex -eq $InterfaceIndex -and $_.AddressFamily -eq $Family })) { $row.Dhcp = $Dhcp }
    if ($Dhcp -ne 'Disabled') { return }
    Set-Rows $State netIPAddresses @(Get-Rows $State netIPAddresses | Where-Object { $_.InterfaceIndex -ne $InterfaceIndex -or $_.PrefixOrigin -ne 'Dhcp' -or $_.AddressFamily -ne $Family })
}

function Set-NetIPInterface {
    [CmdletBinding()]
    param([int]$InterfaceIndex, [string]$AddressFamily, [string]$Dhcp, [int]$InterfaceMetric, [string]$AutomaticMetric)
    if (Test-Fault $PSCmdlet) { return }
    $given = $PSBoundParameters
    $found = @(Get-Rows (Read-State) netIPInterfaces | Where-Object { $_.InterfaceIndex -eq $InterfaceIndex -and $_.AddressFamily -eq $AddressFamily })
    if ($found.Count -eq 0) {
        Write-NotFound -Cmdlet $PSCmdlet -ClassName MSFT_NetIPInterface
        return
    }
    Edit-State {
        param($state)
        if ($given.ContainsKey('Dhcp')) { Set-DhcpInState -State $state -InterfaceIndex $InterfaceIndex -Family $AddressFamily -Dhcp $Dhcp }
        foreach ($row in @(Get-Rows $state netIPInterfaces | Where-Object { $_.InterfaceIndex -eq $InterfaceIndex -and $_.AddressFamily -eq $AddressFamily })) {
            if ($given.ContainsKey('InterfaceMetric')) {
                $row | Add-Member -NotePropertyName InterfaceMetric -NotePropertyValue $InterfaceMetric -Force
                $row | Add-Member -NotePropertyName AutomaticMetric -NotePropertyValue 'Disabled' -Force
            }
            if ($given.ContainsKey('AutomaticMetric')) { $row | Add-Member -NotePropertyName AutomaticMetric -NotePropertyValue $AutomaticMetric -Force }
        }
    }
}

# An address in both stores is a manual configuration and replaces the lease.
function New-NetIPAddress {
    [CmdletBinding()]
    param([int]$InterfaceIndex, [string]$IPAddress, [int]$PrefixLength, [bool]$SkipAsSource, [string]$PolicyStore)
    if (Test-Fault $PSCmdlet) { return }
    $state = Read-State
    $adapter = Find-Adapter $state $InterfaceIndex
    $bound = @(Get-Rows $state adapterBindings | Where-Object { $_.Name -eq $adapter.Name -and $_.ComponentID -eq 'ms_tcpip' -and -not $_.Enabled }).Count -eq 0
    if ($null -eq $adapter -or -not $bound) {
        Write-Failure -Cmdlet $PSCmdlet -Message 'Element not found.' -Code NotFound -Category ObjectNotFound
        return
    }
    $stores = @(if ($PolicyStore) { $PolicyStore } else { 'ActiveStore'; 'PersistentStore' })
    if (@($stores | ForEach-Object { Get-StoredAddress -State $state -Store $_ } | Where-Object { $_.IPAddress -eq $IPAddress }).Count -gt 0) {
        Write-Failure -Cmdlet $PSCmdlet -Message 'Instance MSFT_NetIPAddress already exists' -Code AlreadyExists -Category ResourceExists
        return
    }
    Edit-State {
        param($state)
        $family = Get-AddressFamily $IPAddress
        $row = [pscustomobject]@{
            InterfaceAlias = $adapter.Name; InterfaceIndex = $InterfaceIndex; IPAddress = $IPAddress; PrefixLength = $PrefixLength
            AddressFamily = $family; PrefixOrigin = 'Manual'; AddressState = 'Preferred'
        }
        if ($SkipAsSource) { $row | Add-Member -NotePropertyName SkipAsSource -NotePropertyValue $true }
        if ($PolicyStore -eq 'ActiveStore') {
            $row | Add-Member -NotePropertyName Persistent -NotePropertyValue $false
        } else {
            Set-DhcpInState -State $state -InterfaceIndex $InterfaceIndex -Family $family -Dhcp Disabled
        }
        Set-Rows $state netIPAddresses (@(Get-Rows $state netIPAddresses) + $row)
    }
}

# The rows of one store. A static address is in both, unless it was added to the active store only (Persistent is false) or
# removed from it (then it is a row of persistentIPAddresses, which no section shows).
function Get-StoredAddress {
    param($State, [string]$Store)
    if ($Store -ne 'PersistentStore') { return Get-Rows $State netIPAddresses }
    Get-Rows $State netIPAddresses | Where-Object { $_.PrefixOrigin -eq 'Manual' -and $_.Persistent -ne $false }
    Get-Rows $State persistentIPAddresses
}

function Set-NetIPAddress {
    [CmdletBinding()]
    param([int]$InterfaceIndex, [string]$IPAddress, [bool]$SkipAsSource)
    if (Test-Fault $PSCmdlet) { return }
    $isMeant = { param($row) $row.InterfaceIndex -eq $InterfaceIndex -and $row.IPAddress -eq $IPAddress }
    if (@(Get-Rows (Read-State) netIPAddresses | Where-Object { & $isMeant $_ }).Count -eq 0) { Write-NotFound -Cmdlet $PSCmdlet -ClassName MSFT_NetIPAddress; return }
    Edit-State {
        param($state)
        foreach ($row in @(Get-Rows $state netIPAddresses | Where-Object { & $isMeant $_ })) {
            $row | Add-Member -NotePropertyName SkipAsSource -NotePropertyValue $SkipAsSource -Force
        }
    }
}

# From one store; the default is the active one.
function Remove-NetIPAddress {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([int]$InterfaceIndex, [string]$IPAddress, [string]$PolicyStore = 'ActiveStore')
    if (Test-Fault $PSCmdlet) { return }
    $isMeant = { param($row) $row.InterfaceIndex -eq $InterfaceIndex -and $row.IPAddress -eq $IPAddress }
    if (@(Get-StoredAddress -State (Read-State) -Store $PolicyStore | Where-Object { & $isMeant $_ }).Count -eq 0) { Write-NotFound -Cmdlet $PSCmdlet -ClassName MSFT_NetIPAddress; return }
    Edit-State {
        param($state)
        $persistent = @(Get-StoredAddress -State $state -Store PersistentStore | Where-Object { & $isMeant $_ })
        Set-Rows $state persistentIPAddresses @(Get-Rows $state persistentIPAddresses | Where-Object { -not (& $isMeant $_) })
        if ($PolicyStore -eq 'PersistentStore') {
            foreach ($row in @(Get-Rows $state netIPAddresses | Where-Object { & $isMeant $_ })) { $row | Add-Member -NotePropertyName Persistent -NotePropertyValue $false -Force }
            return
        }
        Set-Rows $state netIPAddresses @(Get-Rows $state netIPAddresses | Where-Object { -not (& $isMeant $_) })
        Set-Rows $state persistentIPAddresses (@(Get-Rows $state persistentIPAddresses) + $persistent)
    }
}

# The default is the active store.
function Get-NetIPAddress {
    [CmdletBinding()]
    param([string]$PolicyStore = 'ActiveStore')
    if (Test-Fault $PSCmdlet) { return }
    foreach ($row in @(Get-StoredAddress -State (Read-State) -Store $PolicyStore)) {
        New-Instance MSFT_NetIPAddress @{ InterfaceAlias = $row.InterfaceAlias; InterfaceIndex = $row.InterfaceIndex; IPAddress = $row.IPAddress; PrefixLength = $row.PrefixLength }
    }
}

function Get-NetRoute {
    [CmdletBinding()]
    param([string]$PolicyStore = 'ActiveStore')
    if (Test-Fault $PSCmdlet) { return }
    foreach ($row in @(Read-Section netRoutes | Where-Object { $_.Store -eq $PolicyStore })) {
        New-Instance MSFT_NetRoute @{
            DestinationPrefix = $row.DestinationPrefix; NextHop = $row.NextHop; InterfaceAlias = $row.InterfaceAlias
            InterfaceIndex = $row.InterfaceIndex; RouteMetric = $row.RouteMetric
        }
    }
}

# Writes to both stores by default, and never to the persistent store alone.
function New-NetRoute {
    [CmdletBinding()]
    param([int]$InterfaceIndex, [string]$DestinationPrefix, [string]$NextHop, [int]$RouteMetric, [string]$PolicyStore)
    if (Test-Fault $PSCmdlet) { return }
    if ($PolicyStore -eq 'PersistentStore') {
        Write-Failure -Cmdlet $PSCmdlet -Message 'The parameter is incorrect.' -Code InvalidParameter -Category InvalidArgument
        return
    }
    $stores = @(if ($PolicyStore) { $PolicyStore } else { 'ActiveStore'; 'PersistentStore' })
    $there = @(Get-Rows (Read-State) netRoutes | Where-Object { $_.InterfaceIndex -eq $InterfaceIndex -and $_.DestinationPrefix -eq $DestinationPrefix -and $_.NextHop -eq $NextHop -and $stores -contains $_.Store })
    if ($there.Count -gt 0) {
        Write-Failure -Cmdlet $PSCmdlet -Message 'Instance MSFT_NetRoute already exists' -Code AlreadyExists -Category ResourceExists
        return
    }
    Edit-State {
        param($state)
        $adapter = Find-Adapter $state $InterfaceIndex
        $rows = foreach ($store in $stores) {
            [pscustomobject]@{ DestinationPrefix = $DestinationPrefix; NextHop = $NextHop; InterfaceAlias = $adapter.Name; InterfaceIndex = $InterfaceIndex; RouteMetric = $RouteMetric; Store = $store }
        }
        Set-Rows $state netRoutes (@(Get-Rows $state netRoutes) + $rows)
    }
}

function Remove-NetRoute {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([int]$InterfaceIndex, [string]$DestinationPrefix, [string]$NextHop, [string]$PolicyStore)
    if (Test-Fault $PSCmdlet) { return }
    $isMeant = {
        param($row)
        $row.InterfaceIndex -eq $InterfaceIndex -and $row.DestinationPrefix -eq $DestinationPrefix -and $row.NextHop -eq $NextHop -and (-not $PolicyStore -or $row.Store -eq $PolicyStore)
    }
    if (@(Get-Rows (Read-State) netRoutes | Where-Object { & $isMeant $_ }).Count -eq 0) { Write-NotFound -Cmdlet $PSCmdlet -ClassName MSFT_NetRoute; return }
    Edit-State { param($state) Set-Rows $state netRoutes @(Get-Rows $state netRoutes | Where-Object { -not (& $isMeant $_) }) }
}

function Get-RowFamily {
    param($Row)
    if ($Row.AddressFamily) { $Row.AddressFamily } else { 'IPv4' }
}

# The manually set servers of a family. Without an origin in the state: those of an interface without DHCP.
function Get-ManualServer {
    param($State, [int]$InterfaceIndex, [string]$Family)
    foreach ($row in @(Get-Rows $State dnsServers | Where-Object { $_.InterfaceIndex -eq $InterfaceIndex -and (Get-RowFamily $_) -eq $Family })) {
        $leases = @(Get-Rows $State netIPInterfaces | Where-Object { $_.InterfaceIndex -eq $InterfaceIndex -and $_.AddressFamily -eq $Family -and $_.Dhcp -eq 'Enabled' }).Count -gt 0
        if ($(if ($row.Origin) { $row.Origin -eq 'Manual' } else { -not $leases })) { $row.ServerAddresses }
    }
}

# Sets the families of the given servers; the other family is unchanged. A reset returns both to DHCP.
function Set-DnsClientServerAddress {
    [CmdletBinding()]
    param([int]$InterfaceIndex, [string[]]$ServerAddresses, [switch]$ResetServerAddresses)
    if (Test-Fault $PSCmdlet) { return }
    if ($null -eq (Find-Adapter (Read-State) $InterfaceIndex)) { Write-NotFound -Cmdlet $PSCmdlet -ClassName MSFT_DNSClientServerAddress; return }
    Edit-State {
        param($state)
        $adapter = Find-Adapter $state $InterfaceIndex
        $lease = @($state.leases | Where-Object { $_ -and $_.MacAddress -eq $adapter.MacAddress }) | Select-Object -Last 1
        foreach ($version in @('IPv4', 'IPv6')) {
            $servers = @($ServerAddresses | Where-Object { (Get-AddressFamily $_) -eq $version })
            if ($servers.Count -eq 0 -and -not $ResetServerAddresses) { continue }
            $row = [ordered]@{ InterfaceAlias = $adapter.Name; InterfaceIndex = $InterfaceIndex; ServerAddresses = $servers }
            if ($version -eq 'IPv6') { $row.AddressFamily = 'IPv6' }
            if ($ResetServerAddresses) { $row.ServerAddresses = @(if ($version -eq 'IPv4') { $lease.Servers }) } else { $row.Origin = 'Manual' }
            $others = @(Get-Rows $state dnsServers | Where-Object { $_.InterfaceIndex -ne $InterfaceIndex -or (Get-RowFamily $_) -ne $version })
            if ($version -eq 'IPv4' -or $row.ServerAddresses.Count -gt 0) { $others += [pscustomobject]$row }
            Set-Rows $state dnsServers $others
        }
    }
}

function Rename-NetAdapter {
    [CmdletBinding()]
    param([string]$Name, [string]$NewName)
    if (Test-Fault $PSCmdlet) { return }
    $names = @(Get-Rows (Read-State) netAdapters | ForEach-Object { $_.Name })
    if ($names -notcontains $Name) { Write-NotFound -Cmdlet $PSCmdlet -ClassName MSFT_NetAdapter; return }
    if ($NewName -ne $Name -and $names -contains $NewName) {
        Write-Failure -Cmdlet $PSCmdlet -Message '{Object Exists} An attempt was made to create an object and the object name already existed.' -Code AlreadyExists -Category ResourceExists
        return
    }
    Edit-State { param($state) Rename-AdapterInState -State $state -Name $Name -NewName $NewName }
}

function Rename-AdapterInState {
    param($State, [string]$Name, [string]$NewName)
    foreach ($row in @(Get-Rows $State netAdapters | Where-Object { $_.Name -eq $Name })) { $row.Name = $NewName }
    foreach ($section in @('netIPAddresses', 'persistentIPAddresses', 'netIPInterfaces', 'netRoutes', 'dnsServers')) {
        foreach ($row in @(Get-Rows $State $section | Where-Object { $_.InterfaceAlias -eq $Name })) { $row.InterfaceAlias = $NewName }
    }
}

# The DHCP server assigns the previous address of the MAC, if any. Manually set DNS servers stay.
function Update-Lease {
    param([int]$InterfaceIndex)
    $state = Read-State
    $adapter = Find-Adapter $state $InterfaceIndex
    $lease = @($state.leases | Where-Object { $_ -and $_.MacAddress -eq $adapter.MacAddress }) | Select-Object -Last 1
    # 82: unable to renew the lease.
    if ($null -eq $lease) { return [pscustomobject]@{ ReturnValue = 82 } }
    Edit-State {
        param($state)
        $address = [pscustomobject]@{
            InterfaceAlias = $adapter.Name; InterfaceIndex = $InterfaceIndex; IPAddress = $lease.IPAddress; PrefixLength = $lease.PrefixLength
            AddressFamily = 'IPv4'; PrefixOrigin = 'Dhcp'; AddressState = 'Preferred'
        }
        $route = [pscustomobject]@{
            DestinationPrefix = '0.0.0.0/0'; NextHop = $lease.Gateway; InterfaceAlias = $adapter.Name; InterfaceIndex = $InterfaceIndex; RouteMetric = 0; Store = 'ActiveStore'
        }
        Set-Rows $state netIPAddresses (@(Get-Rows $state netIPAddresses | Where-Object { $_.InterfaceIndex -ne $InterfaceIndex -or $_.PrefixOrigin -ne 'Dhcp' -or $_.AddressFamily -ne 'IPv4' }) + $address)
        Set-Rows $state netRoutes (@(Get-Rows $state netRoutes | Where-Object { $_.DestinationPrefix -ne '0.0.0.0/0' -or $_.InterfaceIndex -ne $InterfaceIndex -or $_.Store -ne 'ActiveStore' }) + $route)
        if (@(Get-ManualServer -State $state -InterfaceIndex $InterfaceIndex -Family IPv4).Count -gt 0) { return }
        $servers = [pscustomobject]@{ InterfaceAlias = $adapter.Name; InterfaceIndex = $InterfaceIndex; ServerAddresses = @($lease.Servers) }
        Set-Rows $state dnsServers (@(Get-Rows $state dnsServers | Where-Object { $_.InterfaceIndex -ne $InterfaceIndex -or (Get-RowFamily $_) -ne 'IPv4' }) + $servers)
    }
    [pscustomobject]@{ ReturnValue = 0 }
}
