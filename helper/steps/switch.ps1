# vswitch.remove, vswitch.setExtension, vnic.remove.

# No undo: HNS creates its switches with their networks, and a switch without a network is a leftover.
function Invoke-VSwitchRemoveStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    $name = [string]$With.name
    switch ($Phase) {
        'Inspect' {
            $switch = Get-HyperV -ClassName Msvm_VirtualEthernetSwitch | Where-Object -FilterScript { $_.ElementName -eq $name } | Select-Object -First 1
            if ($null -eq $switch) { return New-Inspection -Done $true -About "Switch $name does not exist." }
            $blocked = ''
            $using = Get-HnsObject -Kind networks | Where-Object -FilterScript { Test-NetworkOnSwitch -Network $_ -Switch $switch } | Select-Object -First 1
            if ($null -ne $using) { $blocked = "HNS network $($using.Name) still uses the switch." }
            New-Inspection -Done $false -Blocked $blocked -About "Switch $name exists."
        }
        'Apply' {
            if ($PSCmdlet.ShouldProcess("switch $name", 'Remove')) { Remove-VSwitch -Name $name }
        }
    }
}

# Several networks may share a switch, which has the name of the first.
function Test-NetworkOnSwitch {
    param([Parameter(Mandatory = $true)][object]$Network, [Parameter(Mandatory = $true)][object]$Switch)
    $Network.Name -eq $Switch.ElementName -or (Get-Field -InputObject $Network -Name LayeredOn) -eq $Switch.Name
}

function Remove-VSwitch {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][string]$Name)
    foreach ($switch in @(Get-HyperV -ClassName Msvm_VirtualEthernetSwitch | Where-Object -FilterScript { $_.ElementName -eq $Name })) {
        if (-not $PSCmdlet.ShouldProcess("switch $Name", 'Remove')) { continue }
        $result = Invoke-CimMethod -InputObject (Get-SwitchService) -MethodName DestroySystem -Arguments @{ AffectedSystem = [ref]$switch }
        Assert-CimResult -What DestroySystem -Result $result
    }
}

function Invoke-VSwitchSetExtensionStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    $extension = Find-SwitchExtension -SwitchName $With.switchName -ExtensionId $With.extensionId
    switch ($Phase) {
        'Inspect' {
            if ($null -eq $extension) {
                $about = "Switch $($With.switchName) has no extension $($With.extensionId)."
                return New-Inspection -Done $false -Blocked $about -About $about
            }
            $enabled = [int]$extension.EnabledState -eq 2
            $about = "Extension $($extension.ElementName) of switch $($With.switchName) is enabled: $enabled."
            New-Inspection -Done ($enabled -eq $With.enabled) -Saved ([pscustomobject]@{ enabled = $enabled }) -About $about
        }
        'Apply' {
            if ($PSCmdlet.ShouldProcess("extension $($With.extensionId) of switch $($With.switchName)", "Set enabled to $($With.enabled)")) {
                Set-SwitchExtension -Extension $extension -Enabled $With.enabled
            }
        }
        'Undo' {
            if ($null -eq $Saved -or $null -eq $extension) { return }
            # Without a bridge and ovs-vswitchd the OVS extension drops all packets, so it stays disabled.
            if ($Saved.enabled -and $With.extensionId -eq (Get-OvsExtensionId) -and -not (Test-OvsForwarding)) { return }
            if ($PSCmdlet.ShouldProcess("extension $($With.extensionId) of switch $($With.switchName)", "Set enabled to $($Saved.enabled)")) {
                Set-SwitchExtension -Extension $extension -Enabled $Saved.enabled
            }
        }
    }
}

# An error counts as no.
function Test-OvsForwarding {
    $daemon = @(Get-CimInstance -ClassName Win32_Process | Where-Object -FilterScript { $_.Name -eq 'ovs-vswitchd.exe' })
    if ($daemon.Count -eq 0) { return $false }
    try { $tables = @(Read-OvsTable -Names @('Bridge')) } catch { return $false }
    @(ConvertFrom-OvsTable -Json $tables[0]).Count -gt 0
}

# Lets the packets of the node pass without OVS. A node without the Hyper-V role has no such extension.
function Disable-OvsExtension {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param()
    try {
        $enabled = @(Get-HyperV -ClassName Msvm_EthernetSwitchExtension | Where-Object -FilterScript { $_.Name -eq (Get-OvsExtensionId) -and [int]$_.EnabledState -eq 2 })
    } catch {
        if ((ConvertTo-ErrorObject -ErrorRecord $_).kind -eq 'NotInstalled') { return }
        throw
    }
    foreach ($extension in $enabled) {
        if (-not $PSCmdlet.ShouldProcess($extension.ElementName, 'Disable')) { continue }
        Set-SwitchExtension -Extension $extension -Enabled $false
        "Extension $($extension.ElementName) was disabled."
    }
}

# Removes leftovers of networks that would keep the NIC bound: the networks themselves if Networks is true, and switches that no
# network uses.
function Remove-NetworkLeftover {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([Parameter(Mandatory = $true)][string[]]$Names, [Parameter(Mandatory = $true)][bool]$Networks)
    if ($Networks) {
        foreach ($network in @(Get-HnsObject -Kind networks | Where-Object -FilterScript { $Names -contains $_.Name })) {
            if (-not $PSCmdlet.ShouldProcess("HNS network $($network.Name)", 'Remove')) { continue }
            Remove-HnsObject -Kind networks -Id $network.ID
            "HNS network $($network.Name) was removed."
        }
    }
    $left = @(Get-HnsObject -Kind networks)
    try { $switches = @(Get-HyperV -ClassName Msvm_VirtualEthernetSwitch | Where-Object -FilterScript { $Names -contains $_.ElementName }) } catch {
        if ((ConvertTo-ErrorObject -ErrorRecord $_).kind -eq 'NotInstalled') { return }
        throw
    }
    foreach ($switch in $switches) {
        if (@($left | Where-Object -FilterScript { Test-NetworkOnSwitch -Network $_ -Switch $switch }).Count -gt 0) { continue }
        if (-not $PSCmdlet.ShouldProcess("switch $($switch.ElementName)", 'Remove')) { continue }
        Remove-VSwitch -Name $switch.ElementName
        "Switch $($switch.ElementName) was removed."
    }
}

function Invoke-VnicRemoveStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    switch ($Phase) {
        'Inspect' {
            $port = Find-HostPort -SwitchName $With.switchName -Name $With.name
            if ($null -eq $port) { return New-Inspection -Done $true -About "Switch $($With.switchName) has no vNIC $($With.name)." }
            $adapter = Find-NetAdapter -Name $With.name
            $mac = $null
            if ($null -ne $adapter) { $mac = $adapter.MacAddress }
            New-Inspection -Done $false -Saved ([pscustomobject]@{ macAddress = $mac }) -About "vNIC $($With.name) is on switch $($With.switchName)."
        }
        'Apply' {
            $port = Find-HostPort -SwitchName $With.switchName -Name $With.name
            if ($PSCmdlet.ShouldProcess("vNIC $($With.name) of switch $($With.switchName)", 'Remove')) {
                $result = Invoke-CimMethod -InputObject (Get-SwitchService) -MethodName RemoveResourceSettings -Arguments @{ ResourceSettings = @([ref]$port) }
                Assert-CimResult -What RemoveResourceSettings -Result $result
            }
        }
        'Undo' {
            if ($null -eq $Saved -or $null -ne (Find-NetAdapter -Name $With.name)) { return }
            # The undo of the network may have left the address on the plain NIC.
            if (@(Get-HyperV -ClassName Msvm_VirtualEthernetSwitch | Where-Object -FilterScript { $_.ElementName -eq $With.switchName }).Count -eq 0) { return }
            if (-not $PSCmdlet.ShouldProcess("vNIC $($With.name) of switch $($With.switchName)", 'Create again')) { return }
            # The undo of the network may have created a vNIC with the default name.
            if (Restore-VnicName -Name $With.name -MacAddress $Saved.macAddress) { return }
            # Creating a vNIC requires the Hyper-V module: CIM requires an embedded instance, which PowerShell cannot create.
            # localhost, because names cannot be resolved while the node is cut off.
            $splatAdapter = @{ ManagementOS = $true; ComputerName = 'localhost'; SwitchName = $With.switchName; Name = $With.name }
            if ($null -ne $Saved.macAddress) { $splatAdapter['StaticMacAddress'] = $Saved.macAddress }
            Add-VMNetworkAdapter @splatAdapter
            Rename-NetAdapter -Name "vEthernet ($($With.name))" -NewName $With.name
        }
    }
}

# The switch port of a vNIC of the management operating system.
function Find-HostPort {
    param([Parameter(Mandatory = $true)][string]$SwitchName, [Parameter(Mandatory = $true)][string]$Name)
    $ids = @(Get-HyperV -ClassName Msvm_VirtualEthernetSwitch | Where-Object -FilterScript { $_.ElementName -eq $SwitchName } | ForEach-Object -Process { $_.Name })
    foreach ($port in @(Get-HyperV -ClassName Msvm_EthernetPortAllocationSettingData)) {
        if ($port.ElementName -ne $Name) { continue }
        $onSwitch = @($ids | Where-Object -FilterScript { Test-SwitchPort -Port $port -SwitchId $_ }).Count -gt 0
        $ofHost = @(@($port.HostResource) | Where-Object -FilterScript { Test-HostResource -Resource $_ }).Count -gt 0
        if ($onSwitch -and $ofHost) { return $port }
    }
}

# Renames the vNIC with this MAC address. Returns whether it exists.
function Restore-VnicName {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param(
        [Parameter(Mandatory = $true)][string]$Name,
        [AllowNull()][AllowEmptyString()][string]$MacAddress,
        [int]$WaitSeconds = 0
    )
    $clock = [System.Diagnostics.Stopwatch]::StartNew()
    do {
        if ($null -ne (Find-NetAdapter -Name $Name)) { return $true }
        $adapter = Find-VirtualAdapter -MacAddress $MacAddress
        if ($null -eq $adapter -and $WaitSeconds -gt 0) { Start-Sleep -Milliseconds 500 }
    } while ($null -eq $adapter -and $clock.Elapsed.TotalSeconds -lt $WaitSeconds)
    if ($null -eq $adapter) { return $false }
    if ($PSCmdlet.ShouldProcess("adapter $($adapter.Name)", "Rename to $Name")) {
        Rename-VirtualAdapter -MacAddress $MacAddress -NewName $Name
        # Windows then calls the adapter "vEthernet (<name>)", if the adapter itself was not renamed (kube-ovn pkg/daemon/config_windows.go).
        $adapter = Find-VirtualAdapter -MacAddress $MacAddress
        if ($adapter.Name -ne $Name) { Rename-NetAdapter -Name $adapter.Name -NewName $Name }
    }
    $true
}

function Find-VirtualAdapter {
    param([AllowNull()][AllowEmptyString()][string]$MacAddress)
    Get-NetAdapterSection | Where-Object -FilterScript { $_.Virtual -and -not $_.Hidden -and $_.MacAddress -eq $MacAddress } | Select-Object -First 1
}

# A vNIC has one name in Hyper-V and one as an adapter, and agents use both.
function Rename-VirtualAdapter {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([AllowNull()][AllowEmptyString()][string]$MacAddress, [Parameter(Mandatory = $true)][string]$NewName)
    # Agents that use the name in Hyper-V require its module too.
    if ($null -eq (Get-Command -Name Get-VMNetworkAdapter -ErrorAction Ignore)) { return }
    $found = Get-VMNetworkAdapter -ManagementOS -ComputerName localhost |
        Where-Object -FilterScript { (Format-MacAddress -Address $_.MacAddress) -eq $MacAddress -and $_.Name -ne $NewName } |
        Select-Object -First 1
    if ($null -eq $found -or -not $PSCmdlet.ShouldProcess($found.Name, "Rename to $NewName")) { return }
    Rename-VMNetworkAdapter -ManagementOS -ComputerName localhost -Name $found.Name -NewName $NewName
}

function Find-NetAdapter {
    param([Parameter(Mandatory = $true)][string]$Name)
    Get-NetAdapterSection | Where-Object -FilterScript { $_.Name -eq $Name } | Select-Object -First 1
}
