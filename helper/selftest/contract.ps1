# What the helper requires of Windows: classes with their properties and types, cmdlets with their parameters, programs.

# The classes of each namespace with their properties and the types of Get-CimClass. InstalledOn has no type here: PowerShell
# converts it.
function Get-ClassContract {
    @{
        'root/cimv2'             = @{
            Win32_NetworkAdapterConfiguration = 'InterfaceIndex:UInt32'
            Win32_OperatingSystem             = 'BuildNumber:String CSName:String Caption:String InstallDate:DateTime LastBootUpTime:DateTime LocalDateTime:DateTime OSLanguage:UInt32 Version:String'
            Win32_OptionalFeature             = 'InstallState:UInt32 Name:String'
            Win32_Process                     = 'CommandLine:String CreationDate:DateTime Name:String ProcessId:UInt32 ThreadCount:UInt32'
            Win32_QuickFixEngineering         = 'HotFixID:String InstalledOn'
            Win32_Service                     = 'Description:String DisplayName:String ExitCode:UInt32 Name:String PathName:String ProcessId:UInt32 StartMode:String StartName:String State:String'
            Win32_SystemDriver                = 'DisplayName:String ExitCode:UInt32 Name:String PathName:String StartMode:String StartName:String State:String'
        }
        'root/StandardCimv2'     = @{
            MSFT_DNSClientServerAddress       = 'AddressFamily:UInt16 InterfaceAlias:String InterfaceIndex:UInt32 ServerAddresses:StringArray'
            MSFT_NetAdapter                   = 'ComponentID:String HardwareInterface:Boolean Hidden:Boolean InterfaceAdminStatus:UInt32 InterfaceDescription:String InterfaceGuid:String InterfaceIndex:UInt32 InterfaceOperationalStatus:UInt32 MediaConnectState:UInt32 MtuSize:UInt32 Name:String NetworkAddresses:StringArray PermanentAddress:String Speed:UInt64 State:UInt32 Virtual:Boolean'
            MSFT_NetAdapterBindingSettingData = 'ComponentID:String Enabled:Boolean Name:String'
            MSFT_NetFirewallProfile           = 'Enabled:UInt16 Name:String'
            MSFT_NetFirewallRule              = 'Action:UInt16 Direction:UInt16 DisplayName:String Enabled:UInt16 InstanceID:String PolicyStoreSourceType:UInt16'
            MSFT_NetIPAddress                 = 'AddressFamily:UInt16 AddressState:UInt16 IPAddress:String InterfaceAlias:String InterfaceIndex:UInt32 PrefixLength:UInt8 PrefixOrigin:UInt16 SkipAsSource:Boolean Store:UInt8'
            MSFT_NetIPInterface               = 'AddressFamily:UInt16 AutomaticMetric:UInt8 ConnectionState:UInt8 Dhcp:UInt8 Forwarding:UInt8 InterfaceAlias:String InterfaceIndex:UInt32 InterfaceMetric:UInt32 NlMtu:UInt32 Store:UInt8'
            MSFT_NetNat                       = 'Active:UInt8 InternalIPInterfaceAddressPrefix:String Name:String'
            MSFT_NetProtocolPortFilter        = 'InstanceID:String LocalPort:StringArray Protocol:String'
            MSFT_NetRoute                     = 'DestinationPrefix:String InterfaceAlias:String InterfaceIndex:UInt32 NextHop:String RouteMetric:UInt16 Store:UInt8'
        }
        'root/virtualization/v2' = @{
            Msvm_ConcreteJob                              = 'ErrorDescription:String InstanceID:String JobState:UInt16'
            Msvm_EthernetPortAllocationSettingData        = 'ElementName:String HostResource:StringArray InstanceID:String'
            Msvm_EthernetSwitchExtension                  = 'ElementName:String EnabledState:UInt16 ExtensionType:UInt8 Name:String OperationalStatus:UInt16Array SystemName:String'
            Msvm_EthernetSwitchHardwareOffloadSettingData = 'InstanceID:String SoftwareRscEnabled:Boolean'
            Msvm_ExternalEthernetPort                     = 'DeviceID:String ElementName:String'
            Msvm_VirtualEthernetSwitch                    = 'ElementName:String Name:String'
            Msvm_VirtualEthernetSwitchManagementService   = 'Name:String'
        }
    }
}

# Cmdlets that are not part of PowerShell, with the parameters that the helper uses.
function Get-CmdletContract {
    @{
        'Add-VMNetworkAdapter'         = 'ManagementOS SwitchName Name StaticMacAddress ComputerName'
        'Get-CimClass'                 = 'Namespace ClassName'
        'Get-CimInstance'              = 'Namespace ClassName'
        'Get-NetFirewallPortFilter'    = 'PolicyStore'
        'Get-NetFirewallProfile'       = 'PolicyStore'
        'Get-NetFirewallRule'          = 'PolicyStore'
        'Get-NetIPAddress'             = 'PolicyStore'
        'Get-NetRoute'                 = 'PolicyStore'
        'Get-ScheduledTask'            = ''
        'Get-ScheduledTaskInfo'        = 'TaskName TaskPath'
        'Get-VMNetworkAdapter'         = 'ManagementOS ComputerName'
        'Invoke-CimMethod'             = 'InputObject MethodName Arguments'
        'New-NetFirewallRule'          = 'Name DisplayName Direction Action Protocol LocalPort Profile'
        'New-NetIPAddress'             = 'InterfaceIndex IPAddress PrefixLength SkipAsSource PolicyStore'
        'New-NetRoute'                 = 'InterfaceIndex DestinationPrefix NextHop RouteMetric PolicyStore'
        'New-ScheduledTaskAction'      = 'Execute Argument'
        'New-ScheduledTaskPrincipal'   = 'UserId LogonType RunLevel'
        'New-ScheduledTaskSettingsSet' = 'AllowStartIfOnBatteries DontStopIfGoingOnBatteries DontStopOnIdleEnd StartWhenAvailable MultipleInstances Priority ExecutionTimeLimit Disable'
        'New-ScheduledTaskTrigger'     = 'AtStartup Once At RepetitionInterval'
        'Register-ScheduledTask'       = 'TaskName TaskPath Action Trigger Principal Settings Description Force'
        'Remove-NetFirewallRule'       = 'Name'
        'Remove-NetIPAddress'          = 'InterfaceIndex IPAddress PolicyStore'
        'Remove-NetRoute'              = 'InterfaceIndex DestinationPrefix NextHop PolicyStore'
        'Rename-NetAdapter'            = 'Name NewName'
        'Rename-VMNetworkAdapter'      = 'ManagementOS ComputerName Name NewName'
        'Set-DnsClientServerAddress'   = 'InterfaceIndex ServerAddresses ResetServerAddresses'
        'Set-NetIPAddress'             = 'InterfaceIndex IPAddress SkipAsSource'
        'Set-NetIPInterface'           = 'InterfaceIndex AddressFamily Dhcp InterfaceMetric AutomaticMetric'
        'Start-ScheduledTask'          = 'TaskName TaskPath'
        'Stop-ScheduledTask'           = 'TaskName TaskPath'
        'Unregister-ScheduledTask'     = 'TaskName TaskPath'
    }
}

function Get-ProgramContract {
    @('bcdedit.exe', 'icacls.exe', 'netcfg.exe', 'netsh.exe', 'pnputil.exe', 'taskkill.exe', 'vfpctrl.exe', 'vmcompute.dll')
}
