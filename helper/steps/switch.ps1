# vswitch.remove, vswitch.setExtension, vnic.remove.

# No undo: a switch that HNS made comes back with its network, and one without a network is the left-over that was to go.
function Invoke-VSwitchRemoveStep {
    [CmdletBinding(SupportsShouldProcess = $true)]
    param([string]$Phase, [psobject]$With, [object]$Saved, [string]$Folder)
    $name = [string]$With.name
    switch ($Phase) {
        'Inspect' {
            $switch = Get-HyperV -ClassName Msvm_VirtualEthernetSwitch | Where-Object -FilterScript { $_.ElementName -eq $name } | Select-Object -First 1
            if ($null -eq $switch) { return New-Inspection -Done $true -About "There is no switch $name." }
            $blocked = ''
            # Several networks can share a switch, which has the name of the first one only.
            $users = @(Get-HnsObject -Kind networks | Where-Object -FilterScript { $_.Name -eq $name -or (Get-Field -InputObject $_ -Name LayeredOn) -eq $switch.Name })
            if ($users.Count -gt 0) { $blocked = "HNS network $($users[0].Name) still uses the switch." }
            New-Inspection -Done $false -Blocked $blocked -About "Switch $name exists."
        }
        'Apply' {
            $switch = Get-HyperV -ClassName Msvm_VirtualEthernetSwitch | Where-Object -FilterScript { $_.ElementName -eq $name } | Select-Object -First 1
            if ($PSCmdlet.ShouldProcess("switch $name", 'Remove')) {
                $result = Invoke-CimMethod -InputObject (Get-SwitchService) -MethodName DestroySystem -Arguments @{ AffectedSystem = [ref]$switch }
                Assert-CimResult -What DestroySystem -Result $result
            }
        }
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
            if ($PSCmdlet.ShouldProcess("extension $($With.extensionId) of switch $($With.switchName)", "Set enabled to $($Saved.enabled)")) {
                Set-SwitchExtension -Extension $extension -Enabled $Saved.enabled
            }
        }
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
            if (-not $PSCmdlet.ShouldProcess("vNIC $($With.name) of switch $($With.switchName)", 'Create again')) { return }
            # The undo of the network may have brought a vNIC with the name that Windows gives it.
            if (Restore-VnicName -Name $With.name -MacAddress $Saved.macAddress) { return }
            # Making one takes the Hyper-V module; CIM wants an embedded instance that PowerShell cannot write.
            $splatAdapter = @{ ManagementOS = $true; SwitchName = $With.switchName; Name = $With.name }
            if ($null -ne $Saved.macAddress) { $splatAdapter['StaticMacAddress'] = $Saved.macAddress }
            Add-VMNetworkAdapter @splatAdapter
            Rename-NetAdapter -Name "vEthernet ($($With.name))" -NewName $With.name
        }
    }
}

# The port that connects a vNIC of the management operating system.
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

# Gives the vNIC with this MAC address its name. Whether there is such a vNIC.
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
        $adapter = Get-NetAdapterSection | Where-Object -FilterScript { $_.Virtual -and $_.MacAddress -eq $MacAddress } | Select-Object -First 1
        if ($null -eq $adapter -and $WaitSeconds -gt 0) { Start-Sleep -Milliseconds 500 }
    } while ($null -eq $adapter -and $clock.Elapsed.TotalSeconds -lt $WaitSeconds)
    if ($null -eq $adapter) { return $false }
    if ($PSCmdlet.ShouldProcess("adapter $($adapter.Name)", "Rename to $Name")) { Rename-NetAdapter -Name $adapter.Name -NewName $Name }
    $true
}

function Find-NetAdapter {
    param([Parameter(Mandatory = $true)][string]$Name)
    Get-NetAdapterSection | Where-Object -FilterScript { $_.Name -eq $Name } | Select-Object -First 1
}
