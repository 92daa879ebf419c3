# What Windows does automatically when networks, switches and adapters are added and removed.

function Test-ExternalType {
    param($Network)
    @('transparent', 'l2bridge', 'l2tunnel', 'overlay') -contains ([string]$Network.Type).ToLowerInvariant()
}

# The physical adapter under a network: by name, by switch, or the one bound to a switch.
function Find-Uplink {
    param($State, $Network)
    $adapters = @(Get-Rows $State netAdapters | Where-Object { $_.HardwareInterface })
    $named = $adapters | Where-Object { $_.Name -eq $Network.NetworkAdapterName } | Select-Object -First 1
    if ($named) { return $named }
    $switch = Get-Rows $State vmSwitches | Where-Object { $_.Name -eq $Network.Name } | Select-Object -First 1
    $described = $adapters | Where-Object { $switch -and $_.InterfaceDescription -eq $switch.NetAdapterInterfaceDescription } | Select-Object -First 1
    if ($described) { return $described }
    $bound = @(Get-Rows $State adapterBindings | Where-Object { $_.ComponentID -eq 'vms_pp' -and $_.Enabled } | ForEach-Object { $_.Name })
    $under = $adapters | Where-Object { $bound -contains $_.Name } | Select-Object -First 1
    if ($under) { return $under }
    $adapters | Select-Object -First 1
}

# The management vNIC has the MAC address of its uplink.
function Find-ManagementNic {
    param($State, $Uplink)
    Get-Rows $State netAdapters | Where-Object { $_.Virtual -and $Uplink -and $_.MacAddress -eq $Uplink.MacAddress } | Select-Object -First 1
}

# A DHCP server remembers the address of each MAC.
function Remove-AdapterFromState {
    param($State, [string]$Name)
    $adapter = Get-Rows $State netAdapters | Where-Object { $_.Name -eq $Name } | Select-Object -First 1
    $leased = Get-Rows $State netIPAddresses | Where-Object { $_.InterfaceAlias -eq $Name -and $_.PrefixOrigin -eq 'Dhcp' } | Select-Object -First 1
    if ($adapter -and $leased) {
        $gateway = (Get-Rows $State netRoutes | Where-Object { $_.InterfaceAlias -eq $Name -and $_.DestinationPrefix -eq '0.0.0.0/0' } | Select-Object -First 1).NextHop
        $servers = @((Get-Rows $State dnsServers | Where-Object { $_.InterfaceAlias -eq $Name } | Select-Object -First 1).ServerAddresses)
        $lease = [pscustomobject]@{ MacAddress = $adapter.MacAddress; IPAddress = $leased.IPAddress; PrefixLength = $leased.PrefixLength; Gateway = $gateway; Servers = $servers }
        $State | Add-Member -NotePropertyName leases -NotePropertyValue @(@($State.leases | Where-Object { $_ }) + $lease) -Force
    }
    Set-Rows $State netAdapters @(Get-Rows $State netAdapters | Where-Object { $_.Name -ne $Name })
    foreach ($section in @('netIPAddresses', 'netIPInterfaces', 'netRoutes', 'dnsServers')) {
        Set-Rows $State $section @(Get-Rows $State $section | Where-Object { $_.InterfaceAlias -ne $Name })
    }
}

function Remove-EndpointFromState {
    param($State, [string]$Id)
    $endpoint = Get-Rows $State hnsEndpoints | Where-Object { $_.ID -eq $Id }
    # Only attached endpoints have a vNIC: a remote endpoint can have the same name as the uplink.
    if (@(2, 3) -contains $endpoint.State -and -not $endpoint.IsRemoteEndpoint) { Remove-AdapterFromState -State $State -Name "vEthernet ($($endpoint.Name))" }
    Set-Rows $State hnsEndpoints @(Get-Rows $State hnsEndpoints | Where-Object { $_.ID -ne $Id })
}

# Removes a network with its endpoints. The last network on a switch removes the switch and the management vNIC.
function Remove-NetworkFromState {
    param($State, [string]$Id)
    $network = Get-Rows $State hnsNetworks | Where-Object { $_.ID -eq $Id }
    if ($null -eq $network) { return }
    foreach ($endpoint in @(Get-Rows $State hnsEndpoints | Where-Object { $_.VirtualNetwork -eq $Id })) { Remove-EndpointFromState -State $State -Id $endpoint.ID }
    $uplink = Find-Uplink -State $State -Network $network
    Set-Rows $State hnsNetworks @(Get-Rows $State hnsNetworks | Where-Object { $_.ID -ne $Id })
    $sharing = @(Get-Rows $State hnsNetworks | Where-Object { (Test-ExternalType $_) -and $(if ($network.LayeredOn) { $_.LayeredOn -eq $network.LayeredOn } else { (Find-Uplink $State $_).Name -eq $uplink.Name }) })
    if (-not (Test-ExternalType $network)) { Remove-SwitchFromState -State $State -Name $network.Name; return }
    if ($sharing.Count -gt 0) { return }
    $description = $uplink.InterfaceDescription
    foreach ($switch in @(Get-Rows $State vmSwitches | Where-Object { $_.Name -eq $network.Name -or $_.NetAdapterInterfaceDescription -eq $description })) {
        Remove-SwitchFromState -State $State -Name $switch.Name
    }
    Move-AddressesToUplink -State $State -Uplink $uplink
}

function Remove-SwitchFromState {
    param($State, [string]$Name)
    $switch = Get-Rows $State vmSwitches | Where-Object { $_.Name -eq $Name }
    Set-Rows $State vmSwitches @(Get-Rows $State vmSwitches | Where-Object { $_.Name -ne $Name })
    Set-Rows $State vmSwitchExtensions @(Get-Rows $State vmSwitchExtensions | Where-Object { $_.SwitchName -ne $Name })
    if ($switch.SwitchType -eq 'External') {
        $uplink = Get-Rows $State netAdapters | Where-Object { $_.HardwareInterface -and $_.InterfaceDescription -eq $switch.NetAdapterInterfaceDescription } | Select-Object -First 1
        if ($uplink) { Move-AddressesToUplink -State $State -Uplink $uplink }
    } else {
        Remove-AdapterFromState -State $State -Name "vEthernet ($Name)"
    }
}

# Moves the management vNIC's configuration back to the uplink. What was lost with the vNIC earlier stays lost.
function Move-AddressesToUplink {
    param($State, $Uplink)
    foreach ($row in @(Get-Rows $State adapterBindings | Where-Object { $_.Name -eq $Uplink.Name })) {
        if ($row.ComponentID -eq 'vms_pp') { $row.Enabled = $false }
        if ($row.ComponentID -eq 'ms_tcpip') { $row.Enabled = $true }
    }
    $nic = Find-ManagementNic -State $State -Uplink $Uplink
    if ($null -eq $nic) {
        # TCP/IP is bound to the uplink again; it has no lease until DHCP is renewed.
        if (@(Get-Rows $State netIPInterfaces | Where-Object { $_.InterfaceAlias -eq $Uplink.Name }).Count -eq 0) {
            Add-InterfaceToState -State $State -Adapter $Uplink
        }
        Remove-SwitchAdapters -State $State
        return
    }
    Move-Interface -State $State -From $nic -To $Uplink
    Remove-SwitchAdapters -State $State
}

# An adapter with TCP/IP has an interface per address family.
function Add-InterfaceToState {
    param($State, $Adapter)
    $rows = foreach ($version in @('IPv4', 'IPv6')) {
        [pscustomobject]@{
            InterfaceAlias = $Adapter.Name; InterfaceIndex = $Adapter.InterfaceIndex; AddressFamily = $version; NlMtu = $Adapter.MtuSize
            Forwarding = 'Disabled'; Dhcp = 'Enabled'; ConnectionState = 'Connected'
        }
    }
    Set-Rows $State netIPInterfaces (@(Get-Rows $State netIPInterfaces) + $rows)
}

# The vNICs of a switch are removed with it; those of an internal switch have its name.
function Remove-SwitchAdapters {
    param($State)
    $internal = @(Get-Rows $State vmSwitches | Where-Object { $_.SwitchType -eq 'Internal' } | ForEach-Object { "vEthernet ($($_.Name))" }) + 'vEthernet (nat)'
    foreach ($adapter in @(Get-Rows $State netAdapters | Where-Object { $_.Virtual -and $internal -notcontains $_.Name })) { Remove-AdapterFromState -State $State -Name $adapter.Name }
}

function Move-Interface {
    param($State, $From, $To)
    foreach ($section in @('netIPAddresses', 'netIPInterfaces', 'netRoutes', 'dnsServers')) {
        foreach ($row in @(Get-Rows $State $section | Where-Object { $_.InterfaceAlias -eq $From.Name })) {
            $row.InterfaceAlias = $To.Name
            $row.InterfaceIndex = $To.InterfaceIndex
            if ($row.PSObject.Properties['Forwarding']) { $row.Forwarding = 'Disabled' }
            if ($section -eq 'netIPAddresses' -and $row.AddressFamily -eq 'IPv6') { $row.IPAddress = ([string]$row.IPAddress -replace '%\d+$', "%$($To.InterfaceIndex)") }
        }
    }
}

# A new external network creates a switch with its name and a management vNIC that takes over the uplink's configuration.
function Add-NetworkToState {
    param($State, $Network)
    $uplink = Find-Uplink -State $State -Network $Network
    if (-not $Network.PSObject.Properties['LayeredOn']) {
        # Networks on the same adapter share its switch.
        $other = Get-Rows $State hnsNetworks | Where-Object { (Test-ExternalType $Network) -and (Test-ExternalType $_) -and (Find-Uplink $State $_).Name -eq $uplink.Name } | Select-Object -First 1
        $layer = if ($other.LayeredOn) { $other.LayeredOn } else { [guid]::NewGuid().ToString().ToUpperInvariant() }
        $Network | Add-Member -NotePropertyName LayeredOn -NotePropertyValue $layer
    }
    $Network | Add-Member -NotePropertyName State -NotePropertyValue 1 -Force
    Set-Rows $State hnsNetworks (@(Get-Rows $State hnsNetworks) + $Network)
    $shown = @(Get-NewSwitchExtension -State $State -Network $Network | ForEach-Object { [pscustomobject]@{ Id = $_.Id; IsEnabled = $_.Enabled; Name = $_.Name } })
    $Network | Add-Member -NotePropertyName Extensions -NotePropertyValue $shown -Force
    if (-not (Test-ExternalType $Network)) { return }
    if (@(Get-Rows $State vmSwitches | Where-Object { $_.NetAdapterInterfaceDescription -eq $uplink.InterfaceDescription }).Count -gt 0) { return }
    $id = ([string]$Network.LayeredOn).ToLowerInvariant()
    if ($null -ne $State.sections.vmSwitches) {
        Set-Rows $State vmSwitches (@(Get-Rows $State vmSwitches) + [pscustomobject]@{ Name = $Network.Name; Id = $id; SwitchType = 'External'; NetAdapterInterfaceDescription = $uplink.InterfaceDescription; AllowManagementOS = $true })
        $extensions = @(Get-NewSwitchExtension -State $State -Network $Network | ForEach-Object {
                [pscustomobject]@{ SwitchName = $Network.Name; SwitchId = $id; Id = $_.Id; Name = $_.Name; ExtensionType = $_.Type; Enabled = $_.Enabled; Running = $true }
            })
        Set-Rows $State vmSwitchExtensions (@(Get-Rows $State vmSwitchExtensions) + $extensions)
    }
    $index = 1 + (@(Get-Rows $State netAdapters | ForEach-Object { $_.InterfaceIndex }) | Measure-Object -Maximum).Maximum
    $nic = [pscustomobject]@{
        Name = "vEthernet ($($uplink.Name))"; InterfaceDescription = 'Hyper-V Virtual Ethernet Adapter'; InterfaceIndex = $index
        InterfaceGuid = "{$([guid]::NewGuid().ToString().ToUpperInvariant())}"; Status = 'Up'; MacAddress = $uplink.MacAddress; MtuSize = $uplink.MtuSize
        Virtual = $true; HardwareInterface = $false; LinkSpeed = $uplink.LinkSpeed; ComponentID = 'vms_mp'
    }
    Set-Rows $State netAdapters (@(Get-Rows $State netAdapters) + $nic)
    Move-Interface -State $State -From $uplink -To $nic
    foreach ($row in @(Get-Rows $State adapterBindings | Where-Object { $_.Name -eq $uplink.Name })) {
        if ($row.ComponentID -eq 'vms_pp') { $row.Enabled = $true }
        if ($row.ComponentID -eq 'ms_tcpip') { $row.Enabled = $false }
    }
}

# The extensions of the machine. VFP forwards for networks that HNS routes; OVS must be enabled explicitly.
function Get-NewSwitchExtension {
    param($State, $Network)
    $routed = @('l2bridge', 'l2tunnel', 'overlay') -contains ([string]$Network.Type).ToLowerInvariant()
    # Copied from another switch of the machine, if any.
    $known = @(Get-Rows $State vmSwitchExtensions | Where-Object { $_.SwitchName -ne $Network.Name })
    if ($known.Count -gt 0) {
        foreach ($row in @($known | Where-Object { $_.SwitchName -eq $known[0].SwitchName })) {
            $on = if ($row.ExtensionType -ne 'Forwarding') { $row.Enabled } else { $routed -and $row.Id -ne '583CC151-73EC-4A6A-8B47-578297AD7623' }
            [pscustomobject]@{ Id = $row.Id; Name = $row.Name; Type = $row.ExtensionType; Enabled = $on }
        }
        return
    }
    [pscustomobject]@{ Id = 'E7C3B2F0-F3C5-48DF-AF2B-10FED6D72E7A'; Name = 'Microsoft Windows Filtering Platform'; Type = 'Filter'; Enabled = $false }
    if ($State.sections.drivers.ovsext.Installed) {
        [pscustomobject]@{ Id = '583CC151-73EC-4A6A-8B47-578297AD7623'; Name = 'Open vSwitch Extension'; Type = 'Forwarding'; Enabled = $false }
    }
    # Server 2019 uses different IDs.
    $old = [string]$State.sections.os.BuildNumber -eq '17763'
    [pscustomobject]@{ Id = $(if ($old) { 'E9B59CFA-2BE1-4B21-828F-B6FBDBDDC017' } else { 'F74F241B-440F-4433-BB28-00F89EAD20D8' }); Name = 'Microsoft Azure VFP Switch Extension'; Type = 'Forwarding'; Enabled = $routed }
    [pscustomobject]@{ Id = $(if ($old) { 'EA24CD6C-D17A-4348-9190-09F0D5BE83DD' } else { '430BDADD-BAB0-41AB-A369-94B67FA5BE0A' }); Name = 'Microsoft NDIS Capture'; Type = 'Capture'; Enabled = $true }
}
