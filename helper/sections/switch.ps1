# Hyper-V switches from CIM root/virtualization/v2: the Hyper-V module takes seconds to load and may not be there.

function Get-HyperV {
    param([Parameter(Mandatory = $true)][string]$ClassName)
    try {
        Get-CimInstance -Namespace root/virtualization/v2 -ClassName $ClassName
    } catch {
        if ((ConvertTo-ErrorObject -ErrorRecord $_).kind -ne 'NotInstalled') { throw }
        $message = 'CIM namespace root\virtualization\v2 does not exist: the Hyper-V role is not installed'
        throw (New-HelperError -Kind NotInstalled -Message $message)
    }
}

function Get-VMSwitchExtensionSection {
    $switches = @{}
    foreach ($switch in @(Get-HyperV -ClassName Msvm_VirtualEthernetSwitch)) { $switches[$switch.Name] = $switch.ElementName }
    Get-HyperV -ClassName Msvm_EthernetSwitchExtension | Select-Object -Property @{ Name = 'SwitchName'; Expression = { $switches[$_.SystemName] } },
        @{ Name = 'SwitchId'; Expression = { $_.SystemName } },
        @{ Name = 'Id'; Expression = { $_.Name } },
        @{ Name = 'Name'; Expression = { $_.ElementName } },
        @{ Name = 'ExtensionType'; Expression = { ConvertTo-EnumName -Kind ExtensionType -Value $_.ExtensionType } },
        @{ Name = 'Enabled'; Expression = { [int]$_.EnabledState -eq 2 } },
        @{ Name = 'Running'; Expression = { @($_.OperationalStatus) -contains 2 } }
}
