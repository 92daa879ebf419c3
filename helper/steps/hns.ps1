# hns.removeNetwork, hns.createExternal, hns.removeEndpoint, hns.removePolicyLists.

function Invoke-HnsRemoveNetworkStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    switch ($Phase) {
        'Inspect' {
            $network = Get-HnsObject -Kind networks | Where-Object -FilterScript { $_.ID -eq $With.id } | Select-Object -First 1
            if ($null -eq $network) { return New-Inspection -Done $true -About "HNS network $($With.id) does not exist." }
            $blocked = [string](Get-NetworkRefusal -Network $network)
            if ($network.Name -ne $With.name) { $blocked = "The HNS network with id $($With.id) is called '$($network.Name)', not '$($With.name)'." }
            $known = @(Get-Field -InputObject $With -Name endpoints)
            $attached = @(Get-HnsObject -Kind endpoints | Where-Object -FilterScript { (Test-AttachedEndpoint -Endpoint $_ -NetworkId $With.id) -and $known -notcontains $_.ID })
            if ($attached.Count -gt 0) {
                $names = [string]::Join(', ', @($attached | ForEach-Object -Process { $_.Name }))
                $blocked = "The plan does not know of endpoints that are attached to network $($network.Name): $names."
            }
            $saved = [pscustomobject]@{ network = $network; vnic = (Find-ManagementNic -Network $network) }
            New-Inspection -Done $false -Blocked $blocked -Saved $saved -About "HNS network $($network.Name) of type $($network.Type) exists."
        }
        'Apply' {
            if ($PSCmdlet.ShouldProcess("HNS network $($With.name) ($($With.id))", 'Remove')) { Remove-HnsObject -Kind networks -Id $With.id }
        }
        'Undo' {
            if ($null -eq $Saved) { return }
            $network = $Saved.network
            # Without a bridge and flows the new switch would drop all packets. The address of the node goes back to the plain NIC,
            # see Restore-NodeNetwork, and the agent creates its network when it starts.
            if (Test-OvsNetwork -Network $network) { return }
            $there = @(Get-HnsObject -Kind networks | Where-Object -FilterScript { $_.Name -eq $network.Name })
            if (-not $PSCmdlet.ShouldProcess("HNS network $($network.Name)", 'Create again')) { return }
            if ($there.Count -eq 0) { New-HnsObject -Kind networks -Definition (Get-NetworkDefinition -Network $network) }
            # The vNIC of a new network may take 45 s to appear (flannel waits as long).
            if ($null -ne $Saved.vnic) { [void](Restore-VnicName -Name $Saved.vnic.name -MacAddress $Saved.vnic.macAddress -WaitSeconds 45) }
            Restore-NetworkExtension -Network $network
        }
    }
}

# Plugins create their networks on a NIC (as sitsOnNic in src/repair/node/address-carrier.ts). External is removed only if it is the one
# of Flannel's setup script, see Invoke-HnsCreateExternalStep.
function Get-NetworkRefusal {
    param([Parameter(Mandatory = $true)][object]$Network)
    $isKeeper = $Network.Type -eq 'Overlay' -and @(@(Get-Field -InputObject $Network -Name Subnets) | Where-Object -FilterScript { $null -ne $_ -and $_.AddressPrefix -eq '192.168.255.0/30' }).Count -gt 0
    if (-not (Test-NetworkOnNic -Network $Network) -or ($Network.Name -eq 'External' -and -not $isKeeper)) { "HNS network $($Network.Name) does not belong to a network plugin and is not removed." }
}

function Test-NetworkOnNic {
    param([Parameter(Mandatory = $true)][object]$Network)
    $Network.Type -match '^(Overlay|L2Bridge|L2Tunnel|Transparent)\z'
}

# The overlay External of Flannel's setup script (microsoft/SDN helper.psm1): it carries no pods and keeps the switch.
# The plan waits for the vNIC of a new switch in a separate step.
function Invoke-HnsCreateExternalStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    $name = 'External'
    switch ($Phase) {
        'Inspect' {
            $there = @(Get-HnsObject -Kind networks | Where-Object -FilterScript { $_.Name -eq $name }).Count -gt 0
            $adapter = Find-NetAdapter -Name $With.adapter
            $blocked = ''
            if (-not $there -and $null -eq $adapter) { $blocked = "Adapter $($With.adapter) does not exist." }
            elseif (-not $there -and -not $adapter.HardwareInterface) { $blocked = "Adapter $($With.adapter) is not physical." }
            New-Inspection -Done $there -Blocked $blocked -Saved ([pscustomobject]@{ existed = $there }) -About "HNS network $name exists: $there."
        }
        'Apply' {
            $policy = [pscustomobject]@{ Type = 'VSID'; VSID = 9999 }
            $subnet = [pscustomobject]@{ AddressPrefix = '192.168.255.0/30'; GatewayAddress = '192.168.255.1'; Policies = @($policy) }
            $definition = [pscustomobject]@{ Name = $name; Type = 'Overlay'; NetworkAdapterName = $With.adapter; Subnets = @($subnet) }
            if ($PSCmdlet.ShouldProcess("HNS network $name on $($With.adapter)", 'Create')) { New-HnsObject -Kind networks -Definition $definition }
        }
        'Undo' {
            if ($null -eq $Saved -or $Saved.existed) { return }
            foreach ($network in @(Get-HnsObject -Kind networks | Where-Object -FilterScript { $_.Name -eq $name })) {
                if ($PSCmdlet.ShouldProcess("HNS network $name ($($network.ID))", 'Remove')) { Remove-HnsObject -Kind networks -Id $network.ID }
            }
        }
    }
}

# State 2 is attached, 3 attached and shared: a container uses it. Remote endpoints represent pods of other nodes.
function Test-AttachedEndpoint {
    param([Parameter(Mandatory = $true)][object]$Endpoint, [Parameter(Mandatory = $true)][string]$NetworkId)
    if ((Get-Field -InputObject $Endpoint -Name VirtualNetwork) -ne $NetworkId) { return $false }
    if (Get-Field -InputObject $Endpoint -Name IsRemoteEndpoint) { return $false }
    @(2, 3) -contains (Get-Field -InputObject $Endpoint -Name State)
}

# The vNIC with the address of the node on this network. Antrea and Kube-OVN rename it.
function Find-ManagementNic {
    param([Parameter(Mandatory = $true)][object]$Network)
    $address = ([string](Get-Field -InputObject $Network -Name ManagementIP) -split '/')[0]
    $owner = Get-NetIPAddressSection | Where-Object -FilterScript { $_.IPAddress -eq $address } | Select-Object -First 1
    if ($null -eq $owner) { return }
    $adapter = Find-NetAdapter -Name $owner.InterfaceAlias
    if ($null -ne $adapter -and $adapter.Virtual) { [pscustomobject]@{ name = $adapter.Name; macAddress = $adapter.MacAddress } }
}

# The fields with which a network can be created. HNS fills in the others.
function Get-NetworkDefinition {
    param([Parameter(Mandatory = $true)][object]$Network)
    $definition = Select-Field -InputObject $Network -Names @('Name', 'Type', 'NetworkAdapterName', 'SourceMac', 'Policies', 'MacPools',
        'DNSSuffix', 'DNSServerList', 'ManagementIP', 'AutomaticDNS', 'Flags')
    $subnets = foreach ($subnet in @(Get-Field -InputObject $Network -Name Subnets)) {
        if ($null -ne $subnet) { Select-Field -InputObject $subnet -Names @('AddressPrefix', 'GatewayAddress', 'Policies') }
    }
    $definition | Add-Member -NotePropertyName Subnets -NotePropertyValue @($subnets)
    $definition
}

# Whether Open vSwitch forwarded the packets of a network.
function Test-OvsNetwork {
    param([AllowNull()][object]$Network)
    @(@(Get-Field -InputObject $Network -Name Extensions) | Where-Object -FilterScript { $null -ne $_ -and $_.IsEnabled -and $_.Id -eq (Get-OvsExtensionId) }).Count -gt 0
}

# Windows decides which extensions of a new switch are enabled: those that were enabled before are enabled again.
function Restore-NetworkExtension {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][object]$Network)
    foreach ($extension in @(Get-Field -InputObject $Network -Name Extensions)) {
        if ($null -eq $extension -or -not $extension.IsEnabled) { continue }
        try {
            $found = Find-SwitchExtension -SwitchName $Network.Name -ExtensionId $extension.Id
        } catch {
            # Without the Hyper-V role only HNS can change extensions.
            if ((ConvertTo-ErrorObject -ErrorRecord $_).kind -eq 'NotInstalled') { return }
            throw
        }
        if ($null -ne $found -and [int]$found.EnabledState -ne 2) { Set-SwitchExtension -Extension $found -Enabled $true }
    }
}

function Invoke-HnsRemoveEndpointStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    switch ($Phase) {
        'Inspect' {
            $endpoint = Get-HnsObject -Kind endpoints | Where-Object -FilterScript { $_.ID -eq $With.id } | Select-Object -First 1
            if ($null -eq $endpoint) { return New-Inspection -Done $true -About "HNS endpoint $($With.id) does not exist." }
            New-Inspection -Done $false -Blocked ([string](Get-EndpointRefusal -Endpoint $endpoint)) -Saved $endpoint -About "HNS endpoint $($endpoint.Name) exists."
        }
        'Apply' {
            if ($PSCmdlet.ShouldProcess("HNS endpoint $($With.id)", 'Remove')) { Remove-HnsObject -Kind endpoints -Id $With.id }
        }
        'Undo' {
            if ($null -eq $Saved) { return }
            $address = Get-Field -InputObject $Saved -Name IPAddress
            $there = @(Get-HnsObject -Kind endpoints | Where-Object -FilterScript { $_.Name -eq $Saved.Name -and (Get-Field -InputObject $_ -Name IPAddress) -eq $address })
            if ($there.Count -gt 0) { return }
            $definition = Select-Field -InputObject $Saved -Names @('Name', 'VirtualNetwork', 'IPAddress', 'PrefixLength', 'MacAddress', 'GatewayAddress',
                'Policies', 'DNSSuffix', 'DNSServerList', 'EncapOverhead', 'IsRemoteEndpoint', 'IPv6Address', 'IPv6PrefixLength', 'GatewayAddressV6')
            # Its network may have been created again, with a new id. HNS creates no endpoint without a network.
            $networks = @(Get-HnsObject -Kind networks)
            $network = @(
                $networks | Where-Object -FilterScript { $_.ID -eq $definition.VirtualNetwork }
                $networks | Where-Object -FilterScript { $_.Name -eq (Get-Field -InputObject $Saved -Name VirtualNetworkName) }
            ) | Select-Object -First 1
            if ($null -eq $network) { return }
            $definition.VirtualNetwork = $network.ID
            if ($PSCmdlet.ShouldProcess("HNS endpoint $($Saved.Name)", 'Create again')) { New-HnsObject -Kind endpoints -Definition $definition }
        }
    }
}

# As whyEndpointStays in src/repair/steps/hns-steps.ts: endpoints of other networks, of other nodes, and those that the node itself uses.
function Get-EndpointRefusal {
    param([Parameter(Mandatory = $true)][object]$Endpoint)
    $networkId = [string](Get-Field -InputObject $Endpoint -Name VirtualNetwork)
    $network = Get-HnsObject -Kind networks | Where-Object -FilterScript { $_.ID -eq $networkId } | Select-Object -First 1
    # Without its network it is a leftover.
    if ($null -eq $network) { return }
    if ((Test-ProtectedNetwork -Name $network.Name) -or $null -ne (Get-NetworkRefusal -Network $network)) {
        return "HNS endpoint $($Endpoint.Name) is on $($network.Name), which does not belong to a network plugin, and is not removed."
    }
    $address = Get-Field -InputObject $Endpoint -Name IPAddress
    $isUsed = (Test-AttachedEndpoint -Endpoint $Endpoint -NetworkId $networkId) -and
    @(Get-NetIPAddressSection | Where-Object -FilterScript { $_.IPAddress -eq $address }).Count -gt 0
    if ($isUsed -or (Get-Field -InputObject $Endpoint -Name IsRemoteEndpoint)) { "HNS endpoint $($Endpoint.Name) is in use by the node itself and is not removed." }
}

function Invoke-HnsRemovePolicyListsStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    switch ($Phase) {
        'Inspect' {
            $lists = @(Get-PlannedPolicyList -With $With)
            $saved = @($lists | ForEach-Object -Process { Select-Field -InputObject $_ -Names @('ID', 'References', 'Policies') })
            New-Inspection -Done ($lists.Count -eq 0) -Saved $saved -About "$($lists.Count) HNS policy lists are to be removed."
        }
        'Apply' {
            $lists = @(Get-PlannedPolicyList -With $With)
            if ($PSCmdlet.ShouldProcess("$($lists.Count) HNS policy lists", 'Remove')) {
                foreach ($list in $lists) { Remove-HnsObject -Kind policylists -Id $list.ID }
            }
        }
        'Undo' {
            # Only those whose endpoints still exist; kube-proxy recreates the others when it starts.
            $endpoints = @(Get-HnsObject -Kind endpoints | ForEach-Object -Process { '/endpoints/' + $_.ID })
            $there = @(Get-HnsObject -Kind policylists | ForEach-Object -Process { Get-PolicyListText -List $_ })
            foreach ($list in @($Saved)) {
                if ($null -eq $list -or $there -contains (Get-PolicyListText -List $list)) { continue }
                if (@(@($list.References) | Where-Object -FilterScript { $endpoints -notcontains $_ }).Count -gt 0) { continue }
                if ($PSCmdlet.ShouldProcess('HNS policy list', 'Create again')) {
                    New-HnsObject -Kind policylists -Definition (Select-Field -InputObject $list -Names @('References', 'Policies'))
                }
            }
        }
    }
}

# Those with the ids of the step, or all if it has no ids. An empty list of ids means none.
function Get-PlannedPolicyList {
    param([Parameter(Mandatory = $true)][object]$With)
    $all = $null -eq $With.PSObject.Properties['ids']
    foreach ($list in @(Get-HnsObject -Kind policylists)) {
        if ($null -ne $list -and ($all -or @($With.ids) -contains $list.ID)) { $list }
    }
}

function Get-PolicyListText {
    param([Parameter(Mandatory = $true)][object]$List)
    ConvertTo-JsonText -Value (Select-Field -InputObject $List -Names @('References', 'Policies'))
}
