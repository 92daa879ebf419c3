# root/virtualization/v2, from the sections vmSwitches and vmSwitchExtensions.

function Get-UplinkId {
    param([string]$Description)
    $hash = [System.Security.Cryptography.MD5]::Create().ComputeHash([System.Text.Encoding]::UTF8.GetBytes($Description))
    'Microsoft:{' + ([guid][byte[]]$hash).ToString().ToUpperInvariant() + '}'
}

function Get-HyperVInstance {
    param([string]$ClassName)
    $switches = @(Read-Section vmSwitches)
    switch ($ClassName) {
        'Msvm_VirtualEthernetSwitch' { foreach ($row in $switches) { New-Instance $ClassName @{ Name = $row.Id; ElementName = $row.Name } } }
        'Msvm_VirtualEthernetSwitchManagementService' { New-Instance $ClassName @{ Name = 'vmms' } }
        'Msvm_ExternalEthernetPort' {
            foreach ($row in @(Get-Rows (Read-State) netAdapters | Where-Object { $_.HardwareInterface })) {
                New-Instance $ClassName @{ DeviceID = Get-UplinkId $row.InterfaceDescription; ElementName = $row.InterfaceDescription }
            }
        }
        'Msvm_EthernetPortAllocationSettingData' {
            $state = Read-State
            foreach ($row in $switches) {
                if ($row.SwitchType -eq 'External') {
                    $path = '\\NODE\root\virtualization\v2:Msvm_ExternalEthernetPort.CreationClassName="Msvm_ExternalEthernetPort",DeviceID="' + (Get-UplinkId $row.NetAdapterInterfaceDescription) + '",SystemName="NODE"'
                    New-Instance $ClassName @{ InstanceID = "Microsoft:$($row.Id)\PORT-EXTERNAL"; ElementName = "$($row.Name)_External"; HostResource = [string[]]@($path) }
                }
                if ($row.AllowManagementOS) {
                    $uplink = Get-Rows $state netAdapters | Where-Object { $_.HardwareInterface -and $_.InterfaceDescription -eq $row.NetAdapterInterfaceDescription } | Select-Object -First 1
                    $nic = Find-ManagementNic -State $state -Uplink $uplink
                    $name = if ($nic) { $nic.Name } else { $row.Name }
                    New-Instance $ClassName @{ InstanceID = "Microsoft:$($row.Id)\PORT-HOST"; ElementName = $name; HostResource = [string[]]@('\\NODE\root\virtualization\v2:Msvm_ComputerSystem.CreationClassName="Msvm_ComputerSystem",Name="NODE"') }
                }
            }
        }
        'Msvm_EthernetSwitchHardwareOffloadSettingData' {
            foreach ($row in $switches) { New-Instance $ClassName @{ InstanceID = "Microsoft:$($row.Id)\OFFLOAD"; SoftwareRscEnabled = $row.SoftwareRscEnabled } }
        }
        'Msvm_EthernetSwitchExtension' {
            foreach ($row in @(Read-Section vmSwitchExtensions)) {
                New-Instance $ClassName @{
                    SystemName = $row.SwitchId; Name = $row.Id; ElementName = $row.Name
                    ExtensionType = ConvertTo-Number $row.ExtensionType @{ Unknown = 0; Capture = 1; Filter = 2; Forwarding = 3; Monitoring = 4; Native = 5 }
                    EnabledState = $(if ($row.Enabled) { 2 } else { 3 }); OperationalStatus = [uint16[]]@($(if ($row.Running) { 2 } else { 0 }))
                }
            }
        }
        'Msvm_ConcreteJob' {
            Update-Job
            foreach ($row in @(Get-Rows (Read-State) hyperVJobs)) { New-Instance $ClassName @{ InstanceID = $row.InstanceID; JobState = $row.JobState; ErrorDescription = $row.Error } }
        }
        default { throw "The stand-in has no class $ClassName." }
    }
}

# KUBECTL_WIN_HYPERV_JOBS: Hyper-V starts a job for every change, which is done, or fails, when it was read twice.
function Invoke-HyperVMethod {
    param($InputObject, [string]$MethodName, [System.Collections.IDictionary]$Arguments)
    $work = switch ("$($InputObject.CimClassName).$MethodName") {
        'Msvm_EthernetSwitchExtension.RequestStateChange' {
            [pscustomobject]@{ Kind = 'extension'; SwitchId = $InputObject.SystemName; Id = $InputObject.Name; Enabled = $Arguments['RequestedState'] -eq 2 }
        }
        'Msvm_VirtualEthernetSwitchManagementService.DestroySystem' { [pscustomobject]@{ Kind = 'switch'; Name = $Arguments['AffectedSystem'].Value.ElementName } }
        'Msvm_VirtualEthernetSwitchManagementService.RemoveResourceSettings' {
            $ports = @($Arguments['ResourceSettings'] | ForEach-Object { [pscustomobject]@{ InstanceID = $_.Value.InstanceID; ElementName = $_.Value.ElementName } })
            [pscustomobject]@{ Kind = 'ports'; Ports = $ports }
        }
        default { throw (New-CimError -Code MethodNotFound -Message 'Invalid method') }
    }
    if (-not $env:KUBECTL_WIN_HYPERV_JOBS) {
        Edit-State { param($state) Set-HyperVState -State $state -Change $work }
        return [pscustomobject]@{ ReturnValue = [uint32]0 }
    }
    $id = [guid]::NewGuid().ToString().ToUpperInvariant()
    Edit-State { param($state) Set-Rows $state hyperVJobs (@(Get-Rows $state hyperVJobs) + [pscustomobject]@{ InstanceID = $id; JobState = 4; Reads = 2; Error = $null; Change = $work }) }
    [pscustomobject]@{ ReturnValue = [uint32]4096; Job = New-Instance Msvm_ConcreteJob @{ InstanceID = $id } }
}

function Set-HyperVState {
    param($State, $Change)
    switch ($Change.Kind) {
        'extension' { Set-ExtensionInState -State $State -SwitchId $Change.SwitchId -Id $Change.Id -Enabled $Change.Enabled }
        'switch' { Remove-SwitchFromState -State $State -Name $Change.Name }
        'ports' {
            foreach ($port in @($Change.Ports)) {
                foreach ($row in @(Get-Rows $State vmSwitches | Where-Object { $port.InstanceID -like "Microsoft:$($_.Id)\*" })) { $row.AllowManagementOS = $false }
                Remove-AdapterFromState -State $State -Name $port.ElementName
            }
        }
    }
}

function Update-Job {
    Edit-State {
        param($state)
        foreach ($job in @(Get-Rows $state hyperVJobs | Where-Object { $_.JobState -eq 4 })) {
            $job.Reads--
            if ($job.Reads -gt 0) { continue }
            $job.JobState = 7
            if ($env:KUBECTL_WIN_HYPERV_JOBS -ne 'failed') { Set-HyperVState -State $state -Change $job.Change; continue }
            $job.JobState = 10
            $job.Error = 'The operation failed.'
        }
    }
}

# A switch has one forwarding extension: enabling one disables the others. HNS reports the same.
function Set-ExtensionInState {
    param($State, [string]$SwitchId, [string]$Id, [bool]$Enabled)
    $rows = @(Get-Rows $State vmSwitchExtensions | Where-Object { $_.SwitchId -eq $SwitchId })
    $target = $rows | Where-Object { $_.Id -eq $Id }
    foreach ($row in $rows) {
        if ($row.Id -eq $Id) { $row.Enabled = $Enabled } elseif ($Enabled -and $target.ExtensionType -eq 'Forwarding' -and $row.ExtensionType -eq 'Forwarding') { $row.Enabled = $false }
    }
    foreach ($network in @(Get-Rows $State hnsNetworks | Where-Object { $_.Name -eq $target.SwitchName })) {
        foreach ($extension in @($network.Extensions | Where-Object { $_ })) {
            $row = $rows | Where-Object { $_.Id -eq $extension.Id }
            if ($row) { $extension.IsEnabled = $row.Enabled }
        }
    }
}

# Adds a management vNIC with the default configuration of Windows: no address.
function Add-VMNetworkAdapter {
    [CmdletBinding()]
    param([switch]$ManagementOS, [string]$ComputerName, [string]$SwitchName, [string]$Name, [string]$StaticMacAddress)
    if (Test-Fault $PSCmdlet) { return }
    if (-not (Test-LocalComputer $PSCmdlet $ComputerName)) { return }
    if (@(Get-Rows (Read-State) vmSwitches | Where-Object { $_.Name -eq $SwitchName }).Count -eq 0) {
        Write-Failure -Cmdlet $PSCmdlet -Message "Hyper-V was unable to find a virtual switch with name `"$SwitchName`"." -Category InvalidArgument
        return
    }
    Edit-State {
        param($state)
        foreach ($row in @(Get-Rows $state vmSwitches | Where-Object { $_.Name -eq $SwitchName })) { $row.AllowManagementOS = $true }
        $index = 1 + (@(Get-Rows $state netAdapters | ForEach-Object { $_.InterfaceIndex }) | Measure-Object -Maximum).Maximum
        $alias = "vEthernet ($Name)"
        $adapter = [pscustomobject]@{
            Name = $alias; InterfaceDescription = 'Hyper-V Virtual Ethernet Adapter'; InterfaceIndex = $index
            InterfaceGuid = "{$([guid]::NewGuid().ToString().ToUpperInvariant())}"; Status = 'Up'; MacAddress = $StaticMacAddress; MtuSize = 1500
            Virtual = $true; HardwareInterface = $false; LinkSpeed = '10 Gbps'; ComponentID = 'vms_mp'
        }
        Set-Rows $state netAdapters (@(Get-Rows $state netAdapters) + $adapter)
        Add-InterfaceToState -State $state -Adapter $adapter
    }
}

# Without a computer name these cmdlets resolve the name of the local computer, which needs a reachable DNS server.
function Test-LocalComputer {
    param([System.Management.Automation.PSCmdlet]$Cmdlet, [string]$ComputerName)
    if ($ComputerName -eq 'localhost' -or (Test-Reach -Target '0.0.0.0' -Kind icmp)) { return $true }
    Write-Failure -Cmdlet $Cmdlet -Message 'Hyper-V encountered an error trying to access an object on computer: the computer could not be resolved.' -Category ObjectNotFound
    $false
}

# The Hyper-V name of a vNIC: for a name assigned by Windows, the part in parentheses.
function Get-VMNetworkAdapter {
    [CmdletBinding()]
    param([switch]$ManagementOS, [string]$ComputerName)
    if (-not (Test-LocalComputer $PSCmdlet $ComputerName)) { return }
    foreach ($row in @(Get-Rows (Read-State) netAdapters | Where-Object { $_.Virtual })) {
        $name = if ($row.VMName) { $row.VMName } elseif ($row.Name -match '^vEthernet \((.+)\)$') { $Matches[1] } else { $row.Name }
        [pscustomobject]@{ Name = $name; MacAddress = ([string]$row.MacAddress -replace '-', ''); AdapterName = $row.Name }
    }
}

# Windows names the adapter of a vNIC after it, unless the adapter was renamed itself.
function Rename-VMNetworkAdapter {
    [CmdletBinding()]
    param([switch]$ManagementOS, [string]$ComputerName, [string]$Name, [string]$NewName)
    if (Test-Fault $PSCmdlet) { return }
    if (-not (Test-LocalComputer $PSCmdlet $ComputerName)) { return }
    $found = @(Get-VMNetworkAdapter -ManagementOS -ComputerName $ComputerName | Where-Object { $_.Name -eq $Name } | ForEach-Object { $_.AdapterName })
    if ($found.Count -eq 0) {
        Write-Failure -Cmdlet $PSCmdlet -Message "Hyper-V was unable to find a network adapter with name `"$Name`"." -Category InvalidArgument
        return
    }
    Edit-State {
        param($state)
        foreach ($row in @(Get-Rows $state netAdapters | Where-Object { $found -contains $_.Name })) {
            $row | Add-Member -NotePropertyName VMName -NotePropertyValue $NewName -Force
            if ($row.Name -eq "vEthernet ($Name)") { Rename-AdapterInState -State $state -Name $row.Name -NewName "vEthernet ($NewName)" }
        }
    }
}
