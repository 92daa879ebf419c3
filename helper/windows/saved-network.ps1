# Restores addresses, routes and name servers as they were when a plan began. Each part changes only what differs, so that it can
# be repeated.

# Before a plan has begun (plan.check) there is no file, and the current state is used.
function Read-SavedNetwork {
    param([Parameter(Mandatory = $true)][AllowEmptyString()][string]$Folder)
    if ($Folder -eq '') { return Get-NetworkState }
    ConvertFrom-Json -InputObject ([System.IO.File]::ReadAllText((Join-Path -Path $Folder -ChildPath 'network.json')))
}

# The addresses to restore: those that Windows does not assign itself.
function Get-SavedAddress {
    param([Parameter(Mandatory = $true)][object]$Network, [Parameter(Mandatory = $true)][string]$Adapter)
    @($Network.netIPAddresses) | Where-Object -FilterScript {
        $_.InterfaceAlias -eq $Adapter -and @('Manual', 'Dhcp') -contains $_.PrefixOrigin -and $_.IPAddress -notlike '169.254.*'
    }
}

function Get-MissingAddress {
    param([AllowEmptyCollection()][object[]]$Wanted, [Parameter(Mandatory = $true)][string]$Adapter)
    $present = @(Get-NetIPAddressSection | Where-Object -FilterScript { $_.InterfaceAlias -eq $Adapter } | ForEach-Object -Process { $_.IPAddress })
    $Wanted | Where-Object -FilterScript { $present -notcontains $_.IPAddress }
}

# After an undo. The configuration goes to the adapter that has the address of the node now, else to the one with the same name,
# else to the one with the same MAC address.
function Restore-SavedNetwork {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][string]$Folder, [Parameter(Mandatory = $true)][string]$Address)
    $network = Read-SavedNetwork -Folder $Folder
    $had = @($network.netIPAddresses) | Where-Object -FilterScript { $_.IPAddress -eq $Address } | Select-Object -First 1
    if ($null -eq $had) { return "No adapter had address $Address when the plan began." }
    $from = $had.InterfaceAlias
    $to = Find-AdapterForAddress -Network $network -From $from -Address $Address
    if ($null -eq $to) { throw (New-HelperError -Kind Failed -Message "No adapter exists for address $Address.") }
    $missing = @(Get-MissingAddress -Wanted @(Get-SavedAddress -Network $network -Adapter $from) -Adapter $to.Name)
    if ($PSCmdlet.ShouldProcess("adapter $($to.Name)", "Restore the addresses of $from")) {
        Restore-AdapterAddress -Network $network -From $from -To $to.Name
        if ($missing.Count -eq 0) { return "Address $Address exists." }
        "$($missing.Count) addresses of $from were restored on $($to.Name)."
    }
}

# Adapters that are up come first: Windows may still list adapters of removed switches.
function Find-AdapterForAddress {
    param([Parameter(Mandatory = $true)][object]$Network, [Parameter(Mandatory = $true)][string]$From, [Parameter(Mandatory = $true)][string]$Address)
    # Windows lists filters as hidden adapters, some with the same MAC address. They have no addresses.
    $adapters = @(Get-NetAdapterSection | Where-Object -FilterScript { -not $_.Hidden })
    $holders = @(Get-NetIPAddressSection | Where-Object -FilterScript { $_.IPAddress -eq $Address } | ForEach-Object -Process { $_.InterfaceAlias })
    $mac = Get-Field -InputObject (@($Network.netAdapters) | Where-Object -FilterScript { $_.Name -eq $From } | Select-Object -First 1) -Name MacAddress
    $candidates = @(
        $adapters | Where-Object -FilterScript { $holders -contains $_.Name -and $_.Status -eq 'Up' }
        $adapters | Where-Object -FilterScript { $_.Name -eq $From -and $_.Status -eq 'Up' }
        $adapters | Where-Object -FilterScript { $null -ne $mac -and $_.MacAddress -eq $mac -and $_.Status -eq 'Up' } | Sort-Object -Property Virtual -Descending
        $adapters | Where-Object -FilterScript { $_.Name -eq $From -or ($null -ne $mac -and $_.MacAddress -eq $mac) }
    )
    $candidates | Select-Object -First 1
}

function Restore-AdapterAddress {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][object]$Network,
        [Parameter(Mandatory = $true)][string]$From,
        [Parameter(Mandatory = $true)][string]$To
    )
    if (-not $PSCmdlet.ShouldProcess("adapter $To", "Restore the addresses of $From")) { return }
    $adapter = Find-NetAdapter -Name $To
    $which = @{ Network = $Network; From = $From; InterfaceIndex = $adapter.InterfaceIndex }
    $parts = @(
        @{ Function = 'Enable-AdapterTcpIp'; Parameters = @{ Adapter = $adapter } }
        @{ Function = 'Restore-FamilyAddress'; Parameters = $which + @{ Family = 'IPv4' } }
        @{ Function = 'Restore-FamilyAddress'; Parameters = $which + @{ Family = 'IPv6' } }
        @{ Function = 'Restore-NameServer'; Parameters = $which }
        if (Test-LeasedAddress -Network $Network -From $From -Family IPv4) { @{ Function = 'Restore-Lease'; Parameters = @{ InterfaceIndex = $adapter.InterfaceIndex } } }
        @{ Function = 'Restore-FamilyRoute'; Parameters = $which + @{ Family = 'IPv4' } }
        @{ Function = 'Restore-FamilyRoute'; Parameters = $which + @{ Family = 'IPv6' } }
    )
    # If one fails, the others still run.
    $failures = @(foreach ($part in $parts) {
            $function = $part.Function
            $parameters = $part.Parameters
            try { [void](& $function @parameters) } catch { (ConvertTo-ErrorObject -ErrorRecord $_).message }
        })
    if ($failures.Count -gt 0) { throw (New-HelperError -Kind Failed -Message ([string]::Join(' ', $failures))) }
}

# Addresses require TCP/IP on the adapter, and a NIC that is bound to a removed switch carries no traffic.
function Enable-AdapterTcpIp {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][object]$Adapter)
    $bindings = @(Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetAdapterBindingSettingData | Where-Object -FilterScript { $_.Name -eq $Adapter.Name })
    foreach ($binding in $bindings) {
        $orphan = $binding.ComponentID -eq 'vms_pp' -and [bool]$binding.Enabled -and (Test-SwitchGone -Adapter $Adapter)
        if ($orphan -and $PSCmdlet.ShouldProcess("adapter $($Adapter.Name)", 'Release from its switch')) { Set-AdapterBinding -Binding $binding -Enabled $false }
    }
    foreach ($binding in $bindings) {
        if ($binding.ComponentID -ne 'ms_tcpip' -or [bool]$binding.Enabled) { continue }
        if (-not $PSCmdlet.ShouldProcess("adapter $($Adapter.Name)", 'Bind ms_tcpip')) { continue }
        Set-AdapterBinding -Binding $binding -Enabled $true
        # The interface appears with a delay.
        for ($try = 0; $try -lt 30 -and @(Get-InterfaceState | Where-Object -FilterScript { $_.InterfaceIndex -eq $Adapter.InterfaceIndex }).Count -eq 0; $try++) { Start-Sleep -Milliseconds 500 }
    }
}

# True only if Hyper-V answers and has no switch on the adapter.
function Test-SwitchGone {
    param([Parameter(Mandatory = $true)][object]$Adapter)
    try { $switches = @(Get-VMSwitchSection) } catch { return $false }
    @($switches | Where-Object -FilterScript { $_.NetAdapterInterfaceDescription -eq $Adapter.InterfaceDescription }).Count -eq 0
}

# Whether an address family of an adapter used DHCP. If the interface was not saved, its addresses decide.
function Test-SavedLease {
    param([Parameter(Mandatory = $true)][object]$Network, [Parameter(Mandatory = $true)][string]$From, [Parameter(Mandatory = $true)][string]$Family)
    $row = @($Network.netIPInterfaces) | Where-Object -FilterScript { $_.InterfaceAlias -eq $From -and $_.AddressFamily -eq $Family } | Select-Object -First 1
    if ($null -ne $row) { return $row.Dhcp -eq 'Enabled' }
    Test-LeasedAddress -Network $Network -From $From -Family $Family
}

# Whether there was a lease to restore: with a manual address, DHCP may be enabled and unused.
function Test-LeasedAddress {
    param([Parameter(Mandatory = $true)][object]$Network, [Parameter(Mandatory = $true)][string]$From, [Parameter(Mandatory = $true)][string]$Family)
    @(Get-SavedAddress -Network $Network -Adapter $From | Where-Object -FilterScript { $_.AddressFamily -eq $Family -and $_.PrefixOrigin -eq 'Dhcp' }).Count -gt 0
}

function Restore-FamilyAddress {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][object]$Network,
        [Parameter(Mandatory = $true)][string]$From,
        [Parameter(Mandatory = $true)][int]$InterfaceIndex,
        [Parameter(Mandatory = $true)][string]$Family
    )
    $before = @($Network.netIPInterfaces) | Where-Object -FilterScript { $_.InterfaceAlias -eq $From -and $_.AddressFamily -eq $Family } | Select-Object -First 1
    $wanted = @(Get-SavedAddress -Network $Network -Adapter $From | Where-Object -FilterScript { $_.AddressFamily -eq $Family })
    # Nothing to restore if the adapter does not have the family and had no address of it.
    $has = @(Get-InterfaceState | Where-Object -FilterScript { $_.InterfaceIndex -eq $InterfaceIndex -and $_.AddressFamily -eq $Family }).Count -gt 0
    if (($wanted.Count -eq 0 -and ($null -eq $before -or -not $has)) -or -not $PSCmdlet.ShouldProcess("interface $InterfaceIndex", "Restore $Family")) { return }
    $leases = Test-SavedLease -Network $Network -From $From -Family $Family
    Set-InterfaceDhcp -InterfaceIndex $InterfaceIndex -Family $Family -Enabled $leases
    $manual = @($wanted | Where-Object -FilterScript { $_.PrefixOrigin -eq 'Manual' })
    foreach ($address in $manual) { Restore-ManualAddress -Address $address -InterfaceIndex $InterfaceIndex -ActiveOnly ((Get-Field -InputObject $address -Name Persistent) -eq $false) }
    if ($leases -and $manual.Count -gt 0) {
        # A manual address may disable DHCP (New-NetIPAddress), and enabling DHCP again may remove the address.
        Set-InterfaceDhcp -InterfaceIndex $InterfaceIndex -Family $Family -Enabled $true
        foreach ($address in $manual) { Restore-ManualAddress -Address $address -InterfaceIndex $InterfaceIndex -ActiveOnly $true }
    }
    if ($null -ne $before) { Restore-InterfaceMetric -Before $before -InterfaceIndex $InterfaceIndex -Family $Family }
}

function Set-InterfaceDhcp {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][int]$InterfaceIndex, [Parameter(Mandatory = $true)][string]$Family, [Parameter(Mandatory = $true)][bool]$Enabled)
    $wanted = 'Disabled'
    if ($Enabled) { $wanted = 'Enabled' }
    $now = Get-InterfaceState | Where-Object -FilterScript { $_.InterfaceIndex -eq $InterfaceIndex -and $_.AddressFamily -eq $Family } | Select-Object -First 1
    if ((Get-Field -InputObject $now -Name Dhcp) -eq $wanted) { return }
    if ($PSCmdlet.ShouldProcess("interface $InterfaceIndex", "Set DHCP of $Family to $wanted")) { Set-NetIPInterface -InterfaceIndex $InterfaceIndex -AddressFamily $Family -Dhcp $wanted }
}

# Other instances of the address are removed first: Windows accepts an address only once.
function Restore-ManualAddress {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][object]$Address, [Parameter(Mandatory = $true)][int]$InterfaceIndex, [Parameter(Mandatory = $true)][bool]$ActiveOnly)
    $skip = [bool](Get-Field -InputObject $Address -Name SkipAsSource)
    $alike = @(Get-StoredAddress | Where-Object -FilterScript { $_.IPAddress -eq $Address.IPAddress })
    $here = $alike | Where-Object -FilterScript {
        $_.InterfaceIndex -eq $InterfaceIndex -and $_.Store -eq 'ActiveStore' -and [int]$_.PrefixLength -eq [int]$Address.PrefixLength
    } | Select-Object -First 1
    if (-not $PSCmdlet.ShouldProcess("interface $InterfaceIndex", "Restore address $($Address.IPAddress)")) { return }
    if ($null -ne $here) {
        if ([bool]$here.SkipAsSource -ne $skip) { Set-NetIPAddress -InterfaceIndex $InterfaceIndex -IPAddress $Address.IPAddress -SkipAsSource $skip }
        return
    }
    foreach ($row in $alike) { Remove-NetIPAddress -InterfaceIndex $row.InterfaceIndex -IPAddress $row.IPAddress -PolicyStore $row.Store -Confirm:$false }
    $splatAddress = @{ InterfaceIndex = $InterfaceIndex; IPAddress = $Address.IPAddress; PrefixLength = $Address.PrefixLength; SkipAsSource = $skip }
    if ($ActiveOnly) { $splatAddress.PolicyStore = 'ActiveStore' }
    [void](New-NetIPAddress @splatAddress)
}

function Restore-InterfaceMetric {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][object]$Before, [Parameter(Mandatory = $true)][int]$InterfaceIndex, [Parameter(Mandatory = $true)][string]$Family)
    $automatic = Get-Field -InputObject $Before -Name AutomaticMetric
    $metric = Get-Field -InputObject $Before -Name InterfaceMetric
    $now = Get-InterfaceState | Where-Object -FilterScript { $_.InterfaceIndex -eq $InterfaceIndex -and $_.AddressFamily -eq $Family } | Select-Object -First 1
    if ($null -eq $automatic -or $null -eq $now) { return }
    # Windows derives an automatic metric from the speed of the adapter.
    if ($automatic -eq $now.AutomaticMetric -and ($automatic -eq 'Enabled' -or $metric -eq $now.InterfaceMetric)) { return }
    $splatMetric = @{ InterfaceIndex = $InterfaceIndex; AddressFamily = $Family }
    if ($automatic -eq 'Enabled') { $splatMetric.AutomaticMetric = 'Enabled' } else { $splatMetric.InterfaceMetric = $metric }
    if ($PSCmdlet.ShouldProcess("interface $InterfaceIndex", "Restore the metric of $Family")) { Set-NetIPInterface @splatMetric }
}

# Restores manual servers, and removes manual servers of a family that had none.
function Restore-NameServer {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][object]$Network, [Parameter(Mandatory = $true)][string]$From, [Parameter(Mandatory = $true)][int]$InterfaceIndex)
    $manual = @(@($Network.dnsServers) | Where-Object -FilterScript {
            $_.InterfaceAlias -eq $From -and @($_.ServerAddresses).Count -gt 0 -and (Test-ManualNameServer -Row $_ -Network $Network)
        })
    $now = @(Get-NameServerState | Where-Object -FilterScript { $_.InterfaceIndex -eq $InterfaceIndex })
    $families = @($manual | ForEach-Object -Process { $_.AddressFamily })
    $leftOver = @($now | Where-Object -FilterScript { $_.Origin -eq 'Manual' -and $families -notcontains $_.AddressFamily })
    if (-not $PSCmdlet.ShouldProcess("interface $InterfaceIndex", 'Restore the name servers')) { return }
    if ($leftOver.Count -gt 0) { Set-DnsClientServerAddress -InterfaceIndex $InterfaceIndex -ResetServerAddresses }
    foreach ($row in $manual) {
        $there = $now | Where-Object -FilterScript { $_.AddressFamily -eq $row.AddressFamily -and $_.Origin -ne 'Automatic' } | Select-Object -First 1
        $servers = @($row.ServerAddresses)
        if ($leftOver.Count -eq 0 -and $null -ne $there -and [string]::Join(' ', @($there.ServerAddresses)) -eq [string]::Join(' ', $servers)) { continue }
        Set-DnsClientServerAddress -InterfaceIndex $InterfaceIndex -ServerAddresses $servers
    }
}

# If the origin is unknown, servers of a family without DHCP are manual.
function Test-ManualNameServer {
    param([Parameter(Mandatory = $true)][object]$Row, [Parameter(Mandatory = $true)][object]$Network)
    $origin = Get-Field -InputObject $Row -Name Origin
    if ($null -ne $origin) { return $origin -eq 'Manual' }
    -not (Test-SavedLease -Network $Network -From $Row.InterfaceAlias -Family ([string]$Row.AddressFamily))
}

function Restore-Lease {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][int]$InterfaceIndex)
    $leased = @(Get-NetIPAddressSection | Where-Object -FilterScript {
            $_.InterfaceIndex -eq $InterfaceIndex -and $_.AddressFamily -eq 'IPv4' -and $_.PrefixOrigin -eq 'Dhcp' -and $_.AddressState -eq 'Preferred'
        })
    if ($leased.Count -eq 0 -and $PSCmdlet.ShouldProcess("interface $InterfaceIndex", 'Renew the DHCP lease')) { Update-DhcpLease -InterfaceIndex $InterfaceIndex }
}

# 0 is success, and so is 1, "reboot required" (https://learn.microsoft.com/windows/win32/cimwin32prov/renewdhcplease-method-in-class-win32-networkadapterconfiguration).
function Update-DhcpLease {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][int]$InterfaceIndex)
    $configuration = Get-CimInstance -ClassName Win32_NetworkAdapterConfiguration | Where-Object -FilterScript { $_.InterfaceIndex -eq $InterfaceIndex } | Select-Object -First 1
    if ($null -eq $configuration) { throw (New-HelperError -Kind Failed -Message "Windows has no configuration for interface $InterfaceIndex.") }
    if (-not $PSCmdlet.ShouldProcess("interface $InterfaceIndex", 'Renew the DHCP lease')) { return }
    $code = [int](Get-Field -InputObject (Invoke-CimMethod -InputObject $configuration -MethodName RenewDHCPLease) -Name ReturnValue)
    if (@(0, 1) -notcontains $code) { throw (New-HelperError -Kind Failed -Message "RenewDHCPLease returned $code.") }
}

# Restores routes in their store. Windows adds on-link routes with the address, the default route with a lease, and IPv6 routes
# from router advertisements.
function Restore-FamilyRoute {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][object]$Network,
        [Parameter(Mandatory = $true)][string]$From,
        [Parameter(Mandatory = $true)][int]$InterfaceIndex,
        [Parameter(Mandatory = $true)][string]$Family
    )
    $saved = @(@($Network.netRoutes) | Where-Object -FilterScript {
            $_.InterfaceAlias -eq $From -and @('0.0.0.0', '::') -notcontains $_.NextHop -and (Get-PrefixFamily -Prefix $_.DestinationPrefix) -eq $Family
        })
    $leases = Test-LeasedAddress -Network $Network -From $From -Family $Family
    $seen = @()
    foreach ($route in $saved) {
        if ($seen -contains "$($route.DestinationPrefix) $($route.NextHop)") { continue }
        $seen += "$($route.DestinationPrefix) $($route.NextHop)"
        $routes = @($saved | Where-Object -FilterScript { $_.DestinationPrefix -eq $route.DestinationPrefix -and $_.NextHop -eq $route.NextHop })
        $persistent = @($routes | Where-Object -FilterScript { $_.Store -eq 'PersistentStore' }).Count -gt 0
        $comesByItself = $route.NextHop -like 'fe80:*' -or ($leases -and $route.DestinationPrefix -eq '0.0.0.0/0')
        if ($comesByItself -and -not $persistent) { continue }
        if ($PSCmdlet.ShouldProcess("route $($route.DestinationPrefix) via $($route.NextHop)", 'Restore')) { Restore-Route -Saved $routes -InterfaceIndex $InterfaceIndex }
    }
}

# One route, with its rows of both stores. New-NetRoute cannot write to the persistent store alone, and fails if a store that it
# writes to has the route (https://learn.microsoft.com/powershell/module/nettcpip/new-netroute): a persistent route is created in
# both stores, and then the active store gets what it had.
function Restore-Route {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][object[]]$Saved, [Parameter(Mandatory = $true)][int]$InterfaceIndex)
    $splatRoute = @{ InterfaceIndex = $InterfaceIndex; DestinationPrefix = $Saved[0].DestinationPrefix; NextHop = $Saved[0].NextHop }
    $wanted = Get-StoreMetric -Route $Saved
    $now = Get-StoreMetric -Route @(Get-RouteState | Where-Object -FilterScript {
            $_.InterfaceIndex -eq $InterfaceIndex -and $_.DestinationPrefix -eq $splatRoute.DestinationPrefix -and $_.NextHop -eq $splatRoute.NextHop
        })
    $differs = @($wanted.Keys | Where-Object -FilterScript { $now[$_] -ne $wanted[$_] })
    if ($differs.Count -eq 0) { return }
    if (-not $PSCmdlet.ShouldProcess("route $($splatRoute.DestinationPrefix) via $($splatRoute.NextHop)", 'Restore')) { return }
    $there = $now['ActiveStore']
    $active = $wanted['ActiveStore']
    if ($null -eq $active) { $active = $there }
    if ($differs -contains 'PersistentStore') {
        foreach ($store in @($now.Keys)) { Remove-NetRoute @splatRoute -PolicyStore $store -Confirm:$false }
        $there = $wanted['PersistentStore']
        [void](New-NetRoute @splatRoute -RouteMetric $there)
    }
    if ($there -eq $active) { return }
    if ($null -ne $there) { Remove-NetRoute @splatRoute -PolicyStore ActiveStore -Confirm:$false }
    if ($null -ne $active) { [void](New-NetRoute @splatRoute -PolicyStore ActiveStore -RouteMetric $active) }
}

# The metric of a route by store.
function Get-StoreMetric {
    param([AllowEmptyCollection()][object[]]$Route)
    $metrics = @{}
    foreach ($row in $Route) {
        $store = [string]$row.Store
        if (-not $metrics.ContainsKey($store)) { $metrics[$store] = [int]$row.RouteMetric }
    }
    $metrics
}

function Get-PrefixFamily {
    param([Parameter(Mandatory = $true)][string]$Prefix)
    if ($Prefix.Contains(':')) { return 'IPv6' }
    'IPv4'
}
