# Hyper-V switches, from CIM: the Hyper-V module takes seconds to load and may be missing.

function Get-VMSwitchSection {
    $uplinks = @{}
    foreach ($port in @(Get-HyperV -ClassName Msvm_ExternalEthernetPort)) { $uplinks[$port.DeviceID] = $port.ElementName }
    $ports = @(Get-HyperV -ClassName Msvm_EthernetPortAllocationSettingData)
    $offloads = @(Get-SwitchOffload)
    foreach ($switch in @(Get-HyperV -ClassName Msvm_VirtualEthernetSwitch)) {
        $uplink = $null
        $managed = $false
        foreach ($port in $ports) {
            if (-not (Test-SwitchPort -Port $port -SwitchId $switch.Name)) { continue }
            foreach ($resource in @($port.HostResource)) {
                if ($resource -match 'Msvm_ExternalEthernetPort\..*DeviceID="([^"]+)"') { $uplink = $uplinks[$Matches[1]] }
                if (Test-HostResource -Resource $resource) { $managed = $true }
            }
        }
        $type = 'Private'
        if ($managed) { $type = 'Internal' }
        if ($null -ne $uplink) { $type = 'External' }
        [pscustomobject]@{
            Name                           = $switch.ElementName
            Id                             = $switch.Name
            SwitchType                     = $type
            NetAdapterInterfaceDescription = $uplink
            AllowManagementOS              = $managed
            SoftwareRscEnabled             = $offloads | Where-Object -FilterScript { Test-SwitchPort -Port $_ -SwitchId $switch.Name } | ForEach-Object -Process { Get-Field -InputObject $_ -Name SoftwareRscEnabled } | Select-Object -First 1
        }
    }
}

# Software receive segment coalescing exists since Server 2019: before, the property or the class is missing.
function Get-SwitchOffload {
    try {
        Get-HyperV -ClassName Msvm_EthernetSwitchHardwareOffloadSettingData
    } catch {
        if ((ConvertTo-ErrorObject -ErrorRecord $_).kind -ne 'NotInstalled') { throw }
    }
}

function Get-VMSwitchExtensionSection {
    $switches = @{}
    foreach ($switch in @(Get-HyperV -ClassName Msvm_VirtualEthernetSwitch)) { $switches[$switch.Name] = $switch.ElementName }
    Get-HyperV -ClassName Msvm_EthernetSwitchExtension |
        Select-Object -Property @{ Name = 'SwitchName'; Expression = { $switches[$_.SystemName] } },
            @{ Name = 'SwitchId'; Expression = { $_.SystemName } },
            @{ Name = 'Id'; Expression = { $_.Name } },
            @{ Name = 'Name'; Expression = { $_.ElementName } },
            @{ Name = 'ExtensionType'; Expression = { ConvertTo-EnumName -Kind ExtensionType -Value $_.ExtensionType } },
            @{ Name = 'Enabled'; Expression = { [int]$_.EnabledState -eq 2 } },
            @{ Name = 'Running'; Expression = { @($_.OperationalStatus) -contains 2 } }
}
