# Windows: version, features, updates, boot options, drivers.

function Get-OsSection {
    $os = Get-CimInstance -ClassName Win32_OperatingSystem
    $build = Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'
    [pscustomobject]@{
        Caption        = $os.Caption
        Version        = $os.Version
        BuildNumber    = $os.BuildNumber
        UBR            = Get-Field -InputObject $build -Name UBR
        CSName         = $os.CSName
        LastBootUpTime = Format-Time -Time $os.LastBootUpTime
        InstallDate    = Format-Time -Time $os.InstallDate
        OSLanguage     = $os.OSLanguage
        SystemTime     = Format-Time -Time $os.LocalDateTime
    }
}

function Get-WindowsFeatureSection {
    $names = @('Containers', 'Microsoft-Hyper-V', 'Microsoft-Hyper-V-Management-PowerShell', 'Microsoft-Hyper-V-Services',
        'RemoteAccess', 'RasRoutingProtocols')
    Get-CimInstance -ClassName Win32_OptionalFeature |
        Where-Object -FilterScript { $names -contains $_.Name } |
        Select-Object -Property 'Name', @{ Name = 'InstallState'; Expression = { ConvertTo-EnumName -Kind FeatureState -Value $_.InstallState } }
}

function Get-HotfixSection {
    Get-CimInstance -ClassName Win32_QuickFixEngineering |
        Select-Object -Property 'HotFixID', @{ Name = 'InstalledOn'; Expression = { ConvertFrom-HotfixDate -Date $_.InstalledOn } }
}

# A date in PowerShell; the class itself has month/day/year, or on some Windows a FILETIME in hex.
function ConvertFrom-HotfixDate {
    param([AllowNull()][object]$Date)
    if ($Date -is [datetime]) { return Format-Time -Time $Date }
    $text = [string]$Date
    $parsed = [datetime]::MinValue
    $invariant = [System.Globalization.CultureInfo]::InvariantCulture
    if ([datetime]::TryParseExact($text, 'M/d/yyyy', $invariant, [System.Globalization.DateTimeStyles]::AssumeLocal, [ref]$parsed)) {
        return Format-Time -Time $parsed
    }
    if ($text -match '^[0-9A-Fa-f]{16}$') { return Format-Time -Time ([datetime]::FromFileTime([System.Convert]::ToInt64($text, 16))) }
    $null
}

# The options of the current boot come from the registry, because the output of bcdedit is localised.
function Get-BootOptionSection {
    $control = Get-ItemProperty -LiteralPath 'HKLM:\SYSTEM\CurrentControlSet\Control'
    $options = @(([string](Get-Field -InputObject $control -Name SystemStartOptions)).ToUpperInvariant() -split '\s+')
    $entry = Invoke-NativeChecked -Path (Get-SystemProgram -Name bcdedit.exe) -Arguments @('/enum', '{current}')
    $loadOptions = $null
    if ($entry -match '(?im)^\s*loadoptions\s+(\S.*?)\s*$') { $loadOptions = $Matches[1] }
    [pscustomobject]@{
        TestSigning       = $options -contains 'TESTSIGNING'
        NoIntegrityChecks = $options -contains 'NOINTEGRITYCHECKS'
        LoadOptions       = $loadOptions
    }
}

# pnputil prints "label: value" with localised labels, so only values are read.
function Get-DriverSection {
    $drivers = Invoke-NativeChecked -Path (Get-SystemProgram -Name pnputil.exe) -Arguments @('/enum-drivers')
    $packages = foreach ($block in ($drivers -split '(\r?\n){2,}')) {
        $values = @($block -split '\r?\n' | ForEach-Object -Process { ($_ -replace '^[^:]*:', '').Trim() })
        if ($values -contains 'ovsext.inf') { $values | Where-Object -FilterScript { $_ -match '^oem\d+\.inf$' } }
    }
    $query = Invoke-Native -Path (Get-SystemProgram -Name netcfg.exe) -Arguments @('-q', 'ovsext')
    # "... is installed." and "... is not installed." are localised; the service of the driver is not.
    $service = Get-CimInstance -ClassName Win32_SystemDriver | Where-Object -FilterScript { $_.Name -eq 'ovsext' }
    [pscustomobject]@{
        ovsext = [pscustomobject]@{
            Installed = ($query.Output -match '\bis installed') -or $null -ne $service
            Inf       = @($packages)
            Signed    = Test-DriverSignature -Path (Get-SystemProgram -Name 'drivers\ovsext.sys')
        }
    }
}

# A test certificate is self-signed, and accepted only with test signing.
function Test-DriverSignature {
    param([Parameter(Mandatory = $true)][string]$Path)
    if (-not (Test-Path -LiteralPath $Path)) { return $null }
    $signature = Get-AuthenticodeSignature -LiteralPath $Path
    $certificate = $signature.SignerCertificate
    [string]$signature.Status -eq 'Valid' -and $null -ne $certificate -and $certificate.Subject -ne $certificate.Issuer
}
