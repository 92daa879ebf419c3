# adapter.setBinding, route.add, ip.renew, ip.restore.

function Invoke-AdapterSetBindingStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    $binding = Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetAdapterBindingSettingData |
        Where-Object -FilterScript { $_.Name -eq $With.adapter -and $_.ComponentID -eq $With.componentId } |
        Select-Object -First 1
    $about = "Binding $($With.componentId) of adapter $($With.adapter)"
    switch ($Phase) {
        'Inspect' {
            if ($null -eq $binding) { return New-Inspection -Done $false -Blocked "$about does not exist." -About "$about does not exist." }
            $enabled = [bool]$binding.Enabled
            $blocked = ''
            if ($With.componentId -eq 'vms_pp' -and -not $With.enabled) {
                $user = Get-HnsObject -Kind networks | Where-Object -FilterScript { (Test-NetworkOnNic -Network $_) -and (Get-Field -InputObject $_ -Name NetworkAdapterName) -eq $With.adapter } | Select-Object -First 1
                if ($null -ne $user) { $blocked = "Adapter $($With.adapter) carries HNS network $($user.Name), so it stays bound to its switch." }
            }
            New-Inspection -Done ($enabled -eq $With.enabled) -Blocked $blocked -Saved ([pscustomobject]@{ enabled = $enabled }) -About "$about is enabled: $enabled."
        }
        'Apply' {
            if ($PSCmdlet.ShouldProcess($about, "Set enabled to $($With.enabled)")) { Set-AdapterBinding -Binding $binding -Enabled $With.enabled }
        }
        'Undo' {
            # HNS binds vms_pp itself, and fails to create a network on a NIC that is already bound (microsoft/SDN#177).
            if ($With.componentId -eq 'vms_pp') { return }
            if ($null -eq $Saved -or $null -eq $binding -or [bool]$binding.Enabled -eq $Saved.enabled) { return }
            if ($PSCmdlet.ShouldProcess($about, "Set enabled to $($Saved.enabled)")) { Set-AdapterBinding -Binding $binding -Enabled $Saved.enabled }
        }
    }
}

function Set-AdapterBinding {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][object]$Binding, [Parameter(Mandatory = $true)][bool]$Enabled)
    $method = 'Disable'
    if ($Enabled) { $method = 'Enable' }
    if ($PSCmdlet.ShouldProcess($Binding.Name, $method)) { Assert-CimResult -What $method -Result (Invoke-CimMethod -InputObject $Binding -MethodName $method) }
}

function Invoke-RouteAddStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    $route = "Route $($With.destination) via $($With.nextHop) on $($With.adapter)"
    $adapter = Find-NetAdapter -Name $With.adapter
    switch ($Phase) {
        'Inspect' {
            if ($null -eq $adapter) { return New-Inspection -Done $false -Blocked "Adapter $($With.adapter) does not exist." -About "Adapter $($With.adapter) does not exist." }
            $splatAsked = @{ InterfaceIndex = $adapter.InterfaceIndex; DestinationPrefix = $With.destination; NextHop = $With.nextHop }
            $there = Test-Route @splatAsked -Store ActiveStore
            $saved = [pscustomobject]@{ interfaceIndex = $adapter.InterfaceIndex; persistent = (Test-Route @splatAsked -Store PersistentStore) }
            New-Inspection -Done $there -Saved $saved -About "$route exists: $there."
        }
        'Apply' {
            $metric = Get-Field -InputObject $With -Name metric
            if ($null -eq $metric) { $metric = 256 }
            $splatRoute = @{ InterfaceIndex = $adapter.InterfaceIndex; DestinationPrefix = $With.destination; NextHop = $With.nextHop; RouteMetric = $metric }
            # Without a store New-NetRoute writes to both, and fails if one of them has the route (New-NetRoute).
            if ($Saved.persistent) { $splatRoute.PolicyStore = 'ActiveStore' }
            if ($PSCmdlet.ShouldProcess($route, 'Add')) { [void](New-NetRoute @splatRoute) }
        }
        'Undo' {
            if ($null -eq $Saved) { return }
            $splatAdded = @{ InterfaceIndex = $Saved.interfaceIndex; DestinationPrefix = $With.destination; NextHop = $With.nextHop }
            # Each store by name: it is not documented which of them Remove-NetRoute uses otherwise.
            foreach ($store in @('ActiveStore', 'PersistentStore')) {
                if (($store -eq 'PersistentStore' -and $Saved.persistent) -or -not (Test-Route @splatAdded -Store $store)) { continue }
                if ($PSCmdlet.ShouldProcess($route, "Remove from $store")) { Remove-NetRoute @splatAdded -PolicyStore $store -Confirm:$false }
            }
        }
    }
}

function Test-Route {
    param([int]$InterfaceIndex, [string]$DestinationPrefix, [string]$NextHop, [string]$Store)
    @(Get-NetRouteSection | Where-Object -FilterScript {
            $_.InterfaceIndex -eq $InterfaceIndex -and $_.DestinationPrefix -eq $DestinationPrefix -and $_.NextHop -eq $NextHop -and $_.Store -eq $Store
        }).Count -gt 0
}

# No undo: the DHCP server decides about leases.
function Invoke-IpRenewStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    $adapter = Find-NetAdapter -Name $With.adapter
    switch ($Phase) {
        'Inspect' {
            if ($null -eq $adapter) { return New-Inspection -Done $false -Blocked "Adapter $($With.adapter) does not exist." -About "Adapter $($With.adapter) does not exist." }
            $blocked = ''
            $dhcp = @(Get-NetIPInterfaceSection | Where-Object -FilterScript { $_.InterfaceIndex -eq $adapter.InterfaceIndex -and $_.AddressFamily -eq 'IPv4' -and $_.Dhcp -eq 'Enabled' })
            if ($dhcp.Count -eq 0) { $blocked = "Adapter $($With.adapter) has no DHCP." }
            $leased = @(Get-NetIPAddressSection | Where-Object -FilterScript {
                    $_.InterfaceIndex -eq $adapter.InterfaceIndex -and $_.PrefixOrigin -eq 'Dhcp' -and $_.AddressState -eq 'Preferred'
                })
            New-Inspection -Done ($leased.Count -gt 0) -Blocked $blocked -About "Adapter $($With.adapter) has a lease: $($leased.Count -gt 0)."
        }
        'Apply' {
            if ($PSCmdlet.ShouldProcess("adapter $($With.adapter)", 'Renew the DHCP lease')) { Update-DhcpLease -InterfaceIndex $adapter.InterfaceIndex }
        }
    }
}

# No undo of its own: a rollback restores the addresses, see Restore-SavedNetwork.
function Invoke-IpRestoreStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    switch ($Phase) {
        'Inspect' {
            $network = Read-SavedNetwork -Folder $Folder
            $wanted = @(Get-SavedAddress -Network $network -Adapter $With.from)
            if ($wanted.Count -eq 0) {
                $about = "No address of adapter $($With.from) was saved when the plan began."
                return New-Inspection -Done $false -Blocked $about -About $about
            }
            if ($null -eq (Find-NetAdapter -Name $With.to)) {
                return New-Inspection -Done $false -Blocked "Adapter $($With.to) does not exist." -About "Adapter $($With.to) does not exist."
            }
            $missing = @(Get-MissingAddress -Wanted $wanted -Adapter $With.to)
            New-Inspection -Done ($missing.Count -eq 0) -About "$($missing.Count) of $($wanted.Count) addresses of $($With.from) are missing on $($With.to)."
        }
        'Apply' {
            if ($PSCmdlet.ShouldProcess("adapter $($With.to)", "Restore the addresses of $($With.from)")) {
                Restore-AdapterAddress -Network (Read-SavedNetwork -Folder $Folder) -From $With.from -To $With.to
            }
        }
    }
}
