# Hyper-V switches from CIM root/virtualization/v2: the Hyper-V module takes seconds to load and may not be there.

function Get-VMSwitchSection {
    $uplinks = @{}
    foreach ($port in @(Get-HyperV -ClassName Msvm_ExternalEthernetPort)) { $uplinks[$port.DeviceID] = $port.ElementName }
    $ports = @(Get-HyperV -ClassName Msvm_EthernetPortAllocationSettingData)
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
        }
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
