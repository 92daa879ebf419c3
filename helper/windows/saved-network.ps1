# Addresses, routes and name servers as they were when a plan began, and the way back to them.

function Get-NetworkState {
    [pscustomobject]@{
        netAdapters     = @(Get-NetAdapterSection)
        netIPAddresses  = @(Get-NetIPAddressSection)
        netIPInterfaces = @(Get-NetIPInterfaceSection)
        netRoutes       = @(Get-NetRouteSection)
        dnsServers      = @(Get-DnsServerSection)
    }
}

# Before a plan has begun (plan.check) there is no file yet: then it is as it is now.
function Read-SavedNetwork {
    param([Parameter(Mandatory = $true)][AllowEmptyString()][string]$Folder)
    if ($Folder -eq '') { return Get-NetworkState }
    ConvertFrom-Json -InputObject ([System.IO.File]::ReadAllText((Join-Path -Path $Folder -ChildPath 'network.json')))
}

# Addresses worth keeping: those that Windows would not make up by itself.
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

function Restore-AdapterAddress {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][object]$Network,
        [Parameter(Mandatory = $true)][string]$From,
        [Parameter(Mandatory = $true)][string]$To
    )
    if (-not $PSCmdlet.ShouldProcess("adapter $To", "Restore the addresses of $From")) { return }
    $index = (Find-NetAdapter -Name $To).InterfaceIndex
    $wanted = @(Get-SavedAddress -Network $Network -Adapter $From)
    $leased = @($wanted | Where-Object -FilterScript { $_.PrefixOrigin -eq 'Dhcp' }).Count -gt 0
    if ($leased) {
        Set-NetIPInterface -InterfaceIndex $index -AddressFamily IPv4 -Dhcp Enabled
        Update-DhcpLease -InterfaceIndex $index
    } else {
        Set-NetIPInterface -InterfaceIndex $index -AddressFamily IPv4 -Dhcp Disabled
    }
    foreach ($address in @(Get-MissingAddress -Wanted $wanted -Adapter $To)) {
        if ($null -eq $address -or $address.PrefixOrigin -ne 'Manual') { continue }
        [void](New-NetIPAddress -InterfaceIndex $index -IPAddress $address.IPAddress -PrefixLength $address.PrefixLength)
    }
    foreach ($route in @($Network.netRoutes)) {
        # On-link routes come with the address, and the way out comes with a lease.
        if ($route.InterfaceAlias -ne $From -or $route.Store -ne 'ActiveStore' -or @('0.0.0.0', '::') -contains $route.NextHop) { continue }
        if ($leased -and $route.DestinationPrefix -eq '0.0.0.0/0') { continue }
        $splatRoute = @{ InterfaceIndex = $index; DestinationPrefix = $route.DestinationPrefix; NextHop = $route.NextHop }
        if (-not (Test-Route @splatRoute)) { [void](New-NetRoute @splatRoute -RouteMetric $route.RouteMetric) }
    }
    foreach ($dns in @($Network.dnsServers)) {
        if (-not $leased -and $dns.InterfaceAlias -eq $From) { Set-DnsClientServerAddress -InterfaceIndex $index -ServerAddresses @($dns.ServerAddresses) }
    }
}

function Update-DhcpLease {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][int]$InterfaceIndex)
    $configuration = Get-CimInstance -ClassName Win32_NetworkAdapterConfiguration | Where-Object -FilterScript { $_.InterfaceIndex -eq $InterfaceIndex } | Select-Object -First 1
    if ($PSCmdlet.ShouldProcess("interface $InterfaceIndex", 'Renew the DHCP lease')) {
        Assert-CimResult -What RenewDHCPLease -Result (Invoke-CimMethod -InputObject $configuration -MethodName RenewDHCPLease)
    }
}

# After an undo: what the adapter of the node's address had and no adapter has now goes back to that adapter, or to the one
# with its MAC address.
function Restore-SavedNetwork {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][string]$Folder, [Parameter(Mandatory = $true)][string]$Address)
    $network = Read-SavedNetwork -Folder $Folder
    $had = @($network.netIPAddresses) | Where-Object -FilterScript { $_.IPAddress -eq $Address } | Select-Object -First 1
    if ($null -eq $had) { return "Address $Address was not there when the plan began." }
    $from = $had.InterfaceAlias
    $present = @(Get-NetIPAddressSection)
    $missing = @(Get-SavedAddress -Network $network -Adapter $from | Where-Object -FilterScript { @($present | ForEach-Object -Process { $_.IPAddress }) -notcontains $_.IPAddress })
    if ($missing.Count -eq 0) { return "Address $Address is there." }
    $mac = (@($network.netAdapters) | Where-Object -FilterScript { $_.Name -eq $from } | Select-Object -First 1).MacAddress
    $adapters = @(Get-NetAdapterSection)
    $to = $adapters | Where-Object -FilterScript { $_.Name -eq $from } | Select-Object -First 1
    if ($null -eq $to) { $to = $adapters | Where-Object -FilterScript { $_.MacAddress -eq $mac } | Sort-Object -Property Virtual -Descending | Select-Object -First 1 }
    if ($null -eq $to) { throw (New-HelperError -Kind Failed -Message "No adapter is left that could have address $Address.") }
    if ($PSCmdlet.ShouldProcess("adapter $($to.Name)", "Restore the addresses of $from")) {
        Restore-AdapterAddress -Network $network -From $from -To $to.Name
        "$($missing.Count) addresses of $from were put back on $($to.Name)."
    }
}
