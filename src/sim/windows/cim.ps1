# Get-CimInstance and Invoke-CimMethod by class. Instances have CimClassName, like real ones.

# The Windows classes with the types of all properties, including inherited ones: src/sim/windows/contract/cim.json.
$script:classes = $null

function Get-Class {
    param([string]$Name)
    if ($null -eq $script:classes) { $script:classes = ConvertFrom-Json -InputObject ([System.IO.File]::ReadAllText((Join-Path -Path $PSScriptRoot -ChildPath 'classes.json'))) }
    $script:classes.$Name
}

# An instance has exactly the properties of its class, with their Windows types.
function New-Instance {
    param([string]$Class, [System.Collections.IDictionary]$Properties)
    $known = (Get-Class $Class).Properties
    if ($null -eq $known) { throw "The contract has no class $Class." }
    $all = [ordered]@{}
    foreach ($property in $known.PSObject.Properties) { $all[$property.Name] = $null }
    foreach ($name in $Properties.Keys) {
        if (-not $all.Contains($name)) { throw "Class $Class has no property $name." }
        if ($null -ne $Properties[$name]) { $all[$name] = ConvertTo-CimType -Type $known.$name -Value $Properties[$name] }
    }
    $all['CimClassName'] = $Class
    [pscustomobject]$all
}

function ConvertTo-CimType {
    param([string]$Type, $Value)
    switch -Regex ($Type) {
        '\[\]$' { $element = $Type.Substring(0, $Type.Length - 2); return , @(foreach ($each in $Value) { ConvertTo-CimType -Type $element -Value $each }) }
        '^boolean$' { return [bool]$Value }
        '^uint8$' { return [byte]$Value }
        '^uint16$' { return [uint16]$Value }
        '^uint32$' { return [uint32]$Value }
        '^uint64$' { return [uint64]$Value }
        '^sint32$' { return [int]$Value }
        '^string$' { return [string]$Value }
        '^datetime$' { return [datetime]$Value }
    }
    $Value
}

function Get-CimClass {
    [CmdletBinding()]
    param([Parameter(Position = 0)][string]$ClassName, [string]$Namespace = 'root/cimv2')
    $class = Get-Class $ClassName
    if ($null -eq $class -or $class.Namespace -ne $Namespace.Replace('\', '/')) {
        $PSCmdlet.WriteError([System.Management.Automation.ErrorRecord]::new((New-CimError -Code InvalidClass -Message 'Invalid class'), 'HRESULT 0x80041010', 'NotSpecified', $null))
        return
    }
    $names = @{ string = 'String'; boolean = 'Boolean'; datetime = 'DateTime'; uint8 = 'UInt8'; uint16 = 'UInt16'; uint32 = 'UInt32'; uint64 = 'UInt64'; sint32 = 'SInt32' }
    $properties = foreach ($property in $class.Properties.PSObject.Properties) {
        $type = $names[[string]$property.Value.Replace('[]', '')]
        if ($property.Value.EndsWith('[]')) { $type += 'Array' }
        [pscustomobject]@{ Name = $property.Name; CimType = $type }
    }
    [pscustomobject]@{ CimClassName = $ClassName; CimClassProperties = @($properties) }
}

function Get-CimInstance {
    [CmdletBinding()]
    param([Parameter(Position = 0)][string]$ClassName, [string]$Namespace = 'root/cimv2')
    try {
        # A class exists only in its own namespace.
        $wanted = $Namespace.Replace('\', '/')
        if (@('root/cimv2', 'root/StandardCimv2', 'root/virtualization/v2', 'root/Microsoft/Windows/TaskScheduler') -notcontains $wanted) { throw (New-CimError -Code InvalidNamespace -Message 'Invalid namespace') }
        if ((Get-Class $ClassName).Namespace -ne $wanted) { throw (New-CimError -Code InvalidClass -Message 'Invalid class') }
        Get-Instance -ClassName $ClassName
    } catch {
        $PSCmdlet.WriteError($_)
    }
}

function Get-Instance {
    param([string]$ClassName)
    $family = @{ IPv4 = 2; IPv6 = 23 }
    $onOff = @{ Disabled = 0; Enabled = 1 }
    switch ($ClassName) {
        'Win32_OperatingSystem' {
            foreach ($os in @(Read-Section os)) {
                New-Instance $ClassName @{
                    Caption = $os.Caption; Version = $os.Version; BuildNumber = [string]$os.BuildNumber; CSName = $os.CSName
                    LastBootUpTime = ConvertTo-Time $os.LastBootUpTime; InstallDate = ConvertTo-Time $os.InstallDate
                    OSLanguage = $os.OSLanguage; LocalDateTime = ConvertTo-Time $os.SystemTime
                }
            }
        }
        'Win32_Service' { Get-ServiceInstance -Driver $false }
        'Win32_SystemDriver' { Get-ServiceInstance -Driver $true }
        'Win32_Process' { Get-ProcessInstance }
        'Win32_OptionalFeature' {
            foreach ($row in @(Read-Section windowsFeatures)) {
                New-Instance $ClassName @{ Name = $row.Name; InstallState = ConvertTo-Number $row.InstallState @{ Enabled = 1; Disabled = 2; Absent = 3; Unknown = 4 } }
            }
        }
        'Win32_QuickFixEngineering' {
            foreach ($row in @(Read-Section hotfixes)) {
                New-Instance $ClassName @{ HotFixID = $row.HotFixID; InstalledOn = ConvertTo-Time $row.InstalledOn }
            }
        }
        'Win32_NetworkAdapterConfiguration' {
            foreach ($row in @(Read-Section netAdapters)) { New-Instance $ClassName @{ InterfaceIndex = $row.InterfaceIndex } }
        }
        'MSFT_NetAdapter' {
            foreach ($row in @(Read-Section netAdapters)) {
                $up = $row.Status -eq 'Up'
                $mac = ([string]$row.MacAddress) -replace '[^0-9A-Fa-f]', ''
                New-Instance $ClassName @{
                    Name = $row.Name; InterfaceDescription = $row.InterfaceDescription; InterfaceIndex = $row.InterfaceIndex
                    InterfaceGuid = $row.InterfaceGuid; MtuSize = $row.MtuSize; Virtual = $row.Virtual; HardwareInterface = $row.HardwareInterface; Hidden = [bool]$row.Hidden
                    ComponentID = $row.ComponentID; PermanentAddress = $mac; NetworkAddresses = @($mac)
                    InterfaceOperationalStatus = $(if ($up) { 1 } elseif ($row.Status -eq 'Not Present') { 6 } else { 2 })
                    State = $(if ($row.Status -eq 'Disabled') { 3 } else { 2 })
                    InterfaceAdminStatus = $(if ($row.Status -eq 'Disabled') { 2 } else { 1 })
                    MediaConnectState = $(if ($row.Status -eq 'Disconnected') { 2 } else { 1 })
                    Speed = ConvertTo-BitsPerSecond $row.LinkSpeed
                }
            }
        }
        'MSFT_NetIPAddress' {
            [void](Read-Section netIPAddresses)
            foreach ($store in @('ActiveStore', 'PersistentStore')) {
                if ($store -eq 'PersistentStore' -and $env:KUBECTL_WIN_ACTIVE_STORE_ONLY) { continue }
                foreach ($row in @(Get-StoredAddress -State (Read-State) -Store $store)) {
                    New-Instance $ClassName @{
                        InterfaceAlias = $row.InterfaceAlias; InterfaceIndex = $row.InterfaceIndex; IPAddress = $row.IPAddress; PrefixLength = $row.PrefixLength
                        AddressFamily = ConvertTo-Number $row.AddressFamily $family
                        PrefixOrigin = ConvertTo-Number $row.PrefixOrigin @{ Other = 0; Manual = 1; WellKnown = 2; Dhcp = 3; RouterAdvertisement = 4 }
                        AddressState = ConvertTo-Number $row.AddressState @{ Invalid = 0; Tentative = 1; Duplicate = 2; Deprecated = 3; Preferred = 4 }
                        SkipAsSource = [bool]$row.SkipAsSource; Store = ConvertTo-Number $store @{ PersistentStore = 0; ActiveStore = 1 }
                    }
                }
            }
        }
        'MSFT_NetIPInterface' {
            foreach ($row in @(Read-Section netIPInterfaces)) {
                New-Instance $ClassName @{
                    InterfaceAlias = $row.InterfaceAlias; InterfaceIndex = $row.InterfaceIndex; NlMtu = $row.NlMtu; Store = 1
                    AddressFamily = ConvertTo-Number $row.AddressFamily $family
                    Forwarding = ConvertTo-Number $row.Forwarding $onOff; Dhcp = ConvertTo-Number $row.Dhcp $onOff
                    ConnectionState = ConvertTo-Number $row.ConnectionState @{ Disconnected = 0; Connected = 1 }
                    InterfaceMetric = $(if ($row.InterfaceMetric) { $row.InterfaceMetric } else { 15 })
                    AutomaticMetric = ConvertTo-Number $(if ($row.AutomaticMetric) { $row.AutomaticMetric } else { 'Enabled' }) $onOff
                }
            }
        }
        'MSFT_NetRoute' {
            foreach ($row in @(Read-Section netRoutes)) {
                if ($env:KUBECTL_WIN_ACTIVE_STORE_ONLY -and $row.Store -eq 'PersistentStore') { continue }
                New-Instance $ClassName @{
                    DestinationPrefix = $row.DestinationPrefix; NextHop = $row.NextHop; InterfaceAlias = $row.InterfaceAlias
                    InterfaceIndex = $row.InterfaceIndex; RouteMetric = $row.RouteMetric
                    Store = ConvertTo-Number $row.Store @{ PersistentStore = 0; ActiveStore = 1 }
                }
            }
        }
        'MSFT_DNSClientServerAddress' {
            # Each interface has a row per family. Without IPv6 servers, Windows reports three default ones.
            $rows = @(Read-Section dnsServers)
            foreach ($row in $rows) {
                $version = if ($row.AddressFamily) { $row.AddressFamily } else { 'IPv4' }
                New-Instance $ClassName @{ InterfaceAlias = $row.InterfaceAlias; InterfaceIndex = $row.InterfaceIndex; AddressFamily = $family[$version]; ServerAddresses = [string[]]@($row.ServerAddresses) }
                if ($version -eq 'IPv6' -or @($rows | Where-Object { $_.InterfaceIndex -eq $row.InterfaceIndex -and $_.AddressFamily -eq 'IPv6' }).Count -gt 0) { continue }
                New-Instance $ClassName @{ InterfaceAlias = $row.InterfaceAlias; InterfaceIndex = $row.InterfaceIndex; AddressFamily = 23; ServerAddresses = [string[]]@('fec0:0:0:ffff::1', 'fec0:0:0:ffff::2', 'fec0:0:0:ffff::3') }
            }
        }
        'MSFT_NetNat' {
            foreach ($row in @(Read-Section netNats)) {
                New-Instance $ClassName @{ Name = $row.Name; InternalIPInterfaceAddressPrefix = $row.InternalIPInterfaceAddressPrefix; Active = $(if ($row.Active) { 1 } else { 0 }) }
            }
        }
        'MSFT_NetAdapterBindingSettingData' {
            foreach ($row in @(Read-Section adapterBindings)) {
                New-Instance $ClassName @{ Name = $row.Name; ComponentID = $row.ComponentID; Enabled = $row.Enabled }
                New-Instance $ClassName @{ Name = $row.Name; ComponentID = 'ms_lltdio'; Enabled = $true }
            }
        }
        'MSFT_NetFirewallProfile' { Get-FirewallInstance -ClassName $ClassName -Local }
        'MSFT_NetFirewallRule' { Get-FirewallInstance -ClassName $ClassName -Local }
        'MSFT_NetProtocolPortFilter' { Get-FirewallInstance -ClassName $ClassName -Local }
        { $_ -like 'Msvm_*' } { Get-HyperVInstance -ClassName $ClassName }
        default { throw "The stand-in has no class $ClassName." }
    }
}

function Invoke-CimMethod {
    [CmdletBinding()]
    param([Parameter(ValueFromPipeline = $true)]$InputObject, [Parameter(Mandatory = $true)][string]$MethodName, [System.Collections.IDictionary]$Arguments = @{})
    if (Test-Fault $PSCmdlet) { return }
    try {
        switch ("$($InputObject.CimClassName).$MethodName") {
            { $_ -like 'Msvm_*' } { Invoke-HyperVMethod -InputObject $InputObject -MethodName $MethodName -Arguments $Arguments }
            'MSFT_NetAdapterBindingSettingData.Enable' { Set-Binding -Adapter $InputObject.Name -Component $InputObject.ComponentID -Enabled $true }
            'MSFT_NetAdapterBindingSettingData.Disable' { Set-Binding -Adapter $InputObject.Name -Component $InputObject.ComponentID -Enabled $false }
            'Win32_NetworkAdapterConfiguration.RenewDHCPLease' {
                $result = Update-Lease -InterfaceIndex $InputObject.InterfaceIndex
                if ($env:KUBECTL_WIN_RENEW_RETURNS) { $result.ReturnValue = [uint32]$env:KUBECTL_WIN_RENEW_RETURNS }
                $result
            }
            default { throw (New-CimError -Code MethodNotFound -Message 'Invalid method') }
        }
    } catch {
        $PSCmdlet.WriteError($_)
    }
}

function ConvertTo-BitsPerSecond {
    param($Text)
    if ([string]$Text -match '^([\d.]+) ([GMK]?)bps$') { [long]([double]$Matches[1] * @{ G = 1e9; M = 1e6; K = 1e3; '' = 1 }[$Matches[2]]) }
}

# Adapters without a row for the binding ignore the change.
function Set-Binding {
    param([string]$Adapter, [string]$Component, [bool]$Enabled)
    Edit-State {
        param($state)
        foreach ($row in @(Get-Rows $state adapterBindings)) {
            if ($row.Name -eq $Adapter -and $row.ComponentID -eq $Component) { $row.Enabled = $Enabled }
        }
    }
    [pscustomobject]@{ ReturnValue = 0 }
}
