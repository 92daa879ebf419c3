# Addresses, routes and name servers.

function Find-Adapter {
    param($State, [int]$Index)
    Get-Rows $State netAdapters | Where-Object { $_.InterfaceIndex -eq $Index } | Select-Object -First 1
}

function Set-NetIPInterface {
    [CmdletBinding()]
    param([int]$InterfaceIndex, [string]$AddressFamily, [string]$Dhcp)
    Edit-State {
        param($state)
        foreach ($row in @(Get-Rows $state netIPInterfaces | Where-Object { $_.InterfaceIndex -eq $InterfaceIndex -and $_.AddressFamily -eq $AddressFamily })) { $row.Dhcp = $Dhcp }
        if ($Dhcp -eq 'Disabled') { Set-Rows $state netIPAddresses @(Get-Rows $state netIPAddresses | Where-Object { $_.InterfaceIndex -ne $InterfaceIndex -or $_.PrefixOrigin -ne 'Dhcp' }) }
    }
}

function New-NetIPAddress {
    [CmdletBinding()]
    param([int]$InterfaceIndex, [string]$IPAddress, [int]$PrefixLength)
    Edit-State {
        param($state)
        $adapter = Find-Adapter $state $InterfaceIndex
        $family = if ($IPAddress -like '*:*') { 'IPv6' } else { 'IPv4' }
        Set-Rows $state netIPAddresses (@(Get-Rows $state netIPAddresses) + [pscustomobject]@{
                InterfaceAlias = $adapter.Name; InterfaceIndex = $InterfaceIndex; IPAddress = $IPAddress; PrefixLength = $PrefixLength
                AddressFamily = $family; PrefixOrigin = 'Manual'; AddressState = 'Preferred'
            })
    }
}

function New-NetRoute {
    [CmdletBinding()]
    param([int]$InterfaceIndex, [string]$DestinationPrefix, [string]$NextHop, [int]$RouteMetric)
    Edit-State {
        param($state)
        $adapter = Find-Adapter $state $InterfaceIndex
        $rows = foreach ($store in @('ActiveStore', 'PersistentStore')) {
            [pscustomobject]@{ DestinationPrefix = $DestinationPrefix; NextHop = $NextHop; InterfaceAlias = $adapter.Name; InterfaceIndex = $InterfaceIndex; RouteMetric = $RouteMetric; Store = $store }
        }
        Set-Rows $state netRoutes (@(Get-Rows $state netRoutes) + $rows)
    }
}

function Remove-NetRoute {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([int]$InterfaceIndex, [string]$DestinationPrefix, [string]$NextHop)
    Edit-State {
        param($state)
        Set-Rows $state netRoutes @(Get-Rows $state netRoutes | Where-Object { $_.InterfaceIndex -ne $InterfaceIndex -or $_.DestinationPrefix -ne $DestinationPrefix -or $_.NextHop -ne $NextHop })
    }
}

function Set-DnsClientServerAddress {
    [CmdletBinding()]
    param([int]$InterfaceIndex, [string[]]$ServerAddresses)
    Edit-State {
        param($state)
        $adapter = Find-Adapter $state $InterfaceIndex
        Set-Rows $state dnsServers (@(Get-Rows $state dnsServers | Where-Object { $_.InterfaceIndex -ne $InterfaceIndex }) + [pscustomobject]@{ InterfaceAlias = $adapter.Name; InterfaceIndex = $InterfaceIndex; ServerAddresses = @($ServerAddresses) })
    }
}

function Rename-NetAdapter {
    [CmdletBinding()]
    param([string]$Name, [string]$NewName)
    Edit-State {
        param($state)
        foreach ($row in @(Get-Rows $state netAdapters | Where-Object { $_.Name -eq $Name })) { $row.Name = $NewName }
        foreach ($section in @('netIPAddresses', 'netIPInterfaces', 'netRoutes', 'dnsServers')) {
            foreach ($row in @(Get-Rows $state $section | Where-Object { $_.InterfaceAlias -eq $Name })) { $row.InterfaceAlias = $NewName }
        }
    }
}

# The DHCP server gives the address that the adapter's MAC had before, if any.
function Update-Lease {
    param([int]$InterfaceIndex)
    Edit-State {
        param($state)
        $adapter = Find-Adapter $state $InterfaceIndex
        $lease = @($state.leases | Where-Object { $_ -and $_.MacAddress -eq $adapter.MacAddress }) | Select-Object -Last 1
        if ($null -eq $lease) { return }
        $address = [pscustomobject]@{
            InterfaceAlias = $adapter.Name; InterfaceIndex = $InterfaceIndex; IPAddress = $lease.IPAddress; PrefixLength = $lease.PrefixLength
            AddressFamily = 'IPv4'; PrefixOrigin = 'Dhcp'; AddressState = 'Preferred'
        }
        $route = [pscustomobject]@{
            DestinationPrefix = '0.0.0.0/0'; NextHop = $lease.Gateway; InterfaceAlias = $adapter.Name; InterfaceIndex = $InterfaceIndex; RouteMetric = 0; Store = 'ActiveStore'
        }
        $servers = [pscustomobject]@{ InterfaceAlias = $adapter.Name; InterfaceIndex = $InterfaceIndex; ServerAddresses = @($lease.Servers) }
        Set-Rows $state netIPAddresses (@(Get-Rows $state netIPAddresses | Where-Object { $_.InterfaceIndex -ne $InterfaceIndex -or $_.PrefixOrigin -ne 'Dhcp' }) + $address)
        Set-Rows $state netRoutes (@(Get-Rows $state netRoutes | Where-Object { $_.DestinationPrefix -ne '0.0.0.0/0' -or $_.InterfaceIndex -ne $InterfaceIndex }) + $route)
        Set-Rows $state dnsServers (@(Get-Rows $state dnsServers | Where-Object { $_.InterfaceIndex -ne $InterfaceIndex }) + $servers)
    }
    [pscustomobject]@{ ReturnValue = 0 }
}
